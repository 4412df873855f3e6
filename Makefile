PYTHON ?= python3
BIN := .venv/bin
PAGE := _build/html/index.html
NOTEBOOKS := chapters classroom/assignments classroom/practice classroom/project
# In this order: the browser waits for the book, and short stages fill the gaps at the end.
STAGES := book unit browser notebooks classroom lint checked
EXTRAS := $(addprefix .venv/installed-,test classroom otter browser lite)
MEASURED = $(BIN)/python tools/stages.py run $@ --
# Tests run on all cores already: threads for small matrices would only wait for each other.
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: book live help test lint scripts unit proofs checked notebooks classroom browser slow slow-unit slow-classroom slow-browser rehearsal pdf published links lab execute pictures assignments student-repo scan exports student-book slides quizzes screenshots extremes bench clean

## The book

book: .venv/installed ## build the book and say where it is
	@rm -rf _build/html
	@$(MEASURED) $(BIN)/jupyter-book build . --quiet -W --keep-going || { rm -rf _build/html _build/.doctrees; exit 1; }
	@$(BIN)/python tools/slides.py > /dev/null
	@$(BIN)/python tools/survey.py > /dev/null
	@echo "The book is built. Open $(abspath $(PAGE))"

live: .venv/installed-lite book ## add what runs without a server, for publishing (needs npm)
	@$(BIN)/python tools/live.py

pdf: .venv/installed-browser ## print the book into one PDF
	@$(BIN)/python tools/pdf.py

published: .venv/installed-browser ## open a published book: make published ADDRESS=https://example.org/book/
	@$(BIN)/python tools/published.py "$(ADDRESS)"

links: .venv/installed ## check the links to other sites
	$(BIN)/jupyter-book build . --builder linkcheck --path-output _build/links --quiet

## Tests

test: $(EXTRAS) ## run all tests but the slow ones, two stages at a time, and say what each cost
	@$(BIN)/python tools/stages.py clear
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target $(STAGES); status=$$?; \
	    $(BIN)/python tools/stages.py print; exit $$status

lint: .venv/installed-test scripts ## check style and types
	@$(MEASURED) sh -c "$(BIN)/ruff check && $(BIN)/ruff format --check && $(BIN)/mypy"

ifneq ($(shell command -v npm 2> /dev/null),)
scripts: tools/node_modules/installed ## check the style of the scripts in the pages, where there is npm
	cd tools && node_modules/.bin/biome check --error-on-warnings . ../book ../classroom
else
scripts:
	@echo "THE STYLE OF THE SCRIPTS WAS NOT CHECKED: there is no npm"
endif

proofs: .venv/installed ## let Coq check the theorems, and print what each assumes
	@$(BIN)/python tools/proofs.py

checked: .venv/installed ## the same, but go on where there is no Coq
	@$(MEASURED) $(BIN)/python tools/proofs.py --skip

unit: export ORR_EXAMPLES ?= 30
unit: .venv/installed-test ## test the package and the project's files
	@$(MEASURED) $(BIN)/pytest --numprocesses=auto --dist=worksteal -m "not slow" --quiet

notebooks: .venv/installed-test ## run every notebook and compare its outputs with those stored
	@$(MEASURED) $(BIN)/pytest --nbval --nbval-current-env --numprocesses=auto --dist=loadfile --quiet $(NOTEBOOKS)

classroom: .venv/installed-test .venv/installed-classroom .venv/installed-otter ## grade the assignments and follow the guide
	@$(MEASURED) $(BIN)/pytest --numprocesses=auto --dist=worksteal -m "not slow" --quiet -rs tests/classroom

browser: .venv/installed-test .venv/installed-browser .venv/installed-lite book ## open every page in a browser
	@$(MEASURED) $(BIN)/pytest --numprocesses=auto --dist=worksteal -m "not slow" --quiet -rs tests/browser

slow: slow-unit slow-classroom slow-browser ## run the slow tests, in three parts that can run apart

slow-unit: .venv/installed-test ## run the slow tests of the package
	$(BIN)/pytest --numprocesses=auto --dist=worksteal -m slow --quiet -rs

slow-classroom: .venv/installed-test .venv/installed-classroom .venv/installed-otter ## run the slow tests of grading
	$(BIN)/pytest --numprocesses=auto --dist=worksteal -m slow --quiet -rs tests/classroom

slow-browser: .venv/installed-test .venv/installed-browser .venv/installed-lite book ## run the slow tests of the pages
	$(BIN)/pytest --numprocesses=auto --dist=worksteal -m slow --quiet -rs tests/browser

rehearsal: .venv/installed-browser ## do what Binder does: install, open a chapter, run all cells
	@$(BIN)/python tools/rehearsal.py

## Writing

lab: .venv/installed-lab ## open the chapters in JupyterLab
	$(BIN)/jupyter lab chapters

execute: .venv/installed-test ## run every notebook and store its outputs
	$(BIN)/python tools/execute.py $(addsuffix /*.ipynb,$(NOTEBOOKS))
	$(BIN)/ruff format --quiet $(NOTEBOOKS)

pictures: .venv/installed-test ## draw the logo, the card and the pictures of the first page again
	$(BIN)/python tools/pictures.py

screenshots: .venv/installed-browser book ## take pictures of every page
	@$(BIN)/python tools/screenshots.py

## Teaching

assignments: .venv/installed-classroom ## make a class: make assignments SEED=2027 [ROSTER=class.csv] [SURVEY=survey.csv]
	@$(BIN)/python tools/assignments.py $(if $(SEED),--seed "$(SEED)") $(if $(ROSTER),--roster "$(ROSTER)") \
	    $(if $(SURVEY),--survey "$(SURVEY)") $(if $(ASIDE),--aside) $(if $(ONLY),"classroom/assignments/$(ONLY).ipynb")

student-repo: .venv/installed-classroom ## make the repository that students open, without solutions: make student-repo SEED=2027
	@$(BIN)/python tools/student_repo.py $(if $(SEED),--seed "$(SEED)")

scan: .venv/installed-classroom ## report answers of one call and changed checks in what was handed in: make scan SEED=2027
	@$(BIN)/python tools/scan.py $(if $(SEED),--seed "$(SEED)")

exports: .venv/installed-classroom .venv/installed-otter ## make a class for otter-grader, Gradescope and GitHub: make exports SEED=2027
	@$(BIN)/python tools/exports.py $(if $(SEED),--seed "$(SEED)")

student-book: .venv/installed ## build the book without the solutions of its exercises
	@$(BIN)/python tools/student_book.py

slides: .venv/installed ## make the slides of the lectures
	@$(BIN)/python tools/slides.py

quizzes: .venv/installed ## export the quizzes for Moodle, Canvas, Blackboard and others
	@$(BIN)/python tools/quizzes.py

## Measuring

extremes: .venv/installed ## try ten thousand extreme problems, a quarter of an hour or so
	$(BIN)/python tools/extremes.py --count 10000 --jobs 2

bench: .venv/installed-test .venv/installed-browser book ## print measured ratios and what the pages weigh
	$(BIN)/python -m tools.benchmarks.run
	$(BIN)/python -m tools.benchmarks.families
	$(BIN)/python -m tools.benchmarks.release
	$(BIN)/python -m tools.benchmarks.certificates
	$(BIN)/python -m tools.benchmarks.pages

## And

help: ## say what can be made
	@awk -F ':.*## ' '/^##/ { print "\n" substr($$0, 4) } /^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' Makefile

clean: ## remove all that these commands made
	rm -rf .venv _build tools/node_modules *.egg-info classroom/*.egg-info .mypy_cache .ruff_cache .hypothesis
	find . \( -name __pycache__ -o -name .ipynb_checkpoints \) -prune -exec rm -rf {} +

tools/node_modules/installed: tools/package.json
	@npm install --prefix tools --silent --no-audit --no-fund --no-package-lock
	@touch $@

.venv/bin/python:
	$(PYTHON) -m venv .venv

# Editable, so that the repository's folder is on Python's path: chapters import its folder `book`.
.venv/installed: pyproject.toml classroom/pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[book]" --editable ./classroom
	@touch $@

.venv/installed-%: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[$*]"
	@touch $@
