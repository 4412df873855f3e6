PYTHON ?= python3
BIN := .venv/bin
PAGE := _build/html/index.html

.PHONY: book test lint unit notebooks classroom browser lab execute picture assignments student-book slides bench clean

book: .venv/installed ## build the book and say where it is
	@$(BIN)/jupyter-book build . --quiet -W --keep-going || { rm -rf _build/html _build/.doctrees; exit 1; }
	@$(BIN)/python tools/slides.py > /dev/null
	@echo "The book is built. Open $(abspath $(PAGE))"

test: lint unit notebooks classroom book browser ## run every test

lint: .venv/installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

unit: .venv/installed
	$(BIN)/pytest --numprocesses=auto --quiet

notebooks: .venv/installed
	$(BIN)/pytest --nbval --nbval-current-env --numprocesses=auto --dist=loadfile --quiet chapters exercises

classroom: .venv/installed-classroom
	$(BIN)/pytest --numprocesses=auto --quiet tests/classroom

browser: .venv/installed-browser book
	$(BIN)/pytest --numprocesses=auto --quiet -rs tests/browser

lab: .venv/installed-lab ## open the chapters in JupyterLab
	$(BIN)/jupyter lab chapters

execute: .venv/installed ## run every notebook and store its outputs
	$(BIN)/python tools/execute.py chapters/*.ipynb exercises/*.ipynb
	$(BIN)/ruff format --quiet chapters exercises

picture: .venv/installed ## draw the picture of the README again
	$(BIN)/python -m orr.plots images/overall-level.svg

assignments: .venv/installed-classroom ## make the assignments for a class: make assignments SEED=2027
	@$(BIN)/python tools/assignments.py $(if $(SEED),--seed $(SEED))

student-book: .venv/installed ## build the book without the solutions of its exercises
	@$(BIN)/python tools/student_book.py

slides: .venv/installed ## make the slides of the two lectures
	@$(BIN)/python tools/slides.py

bench: .venv/installed-bench ## print the table of measured ratios
	$(BIN)/python benchmarks/run.py

clean: ## remove all that these commands made
	rm -rf .venv _build *.egg-info .mypy_cache .ruff_cache .hypothesis
	find . \( -name __pycache__ -o -name .ipynb_checkpoints \) -prune -exec rm -rf {} +

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[book,test,genomes]"
	@touch $@

.venv/installed-%: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[$*]"
	@touch $@
