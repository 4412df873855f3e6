PYTHON ?= python3
BIN := .venv/bin
PAGE := _build/html/index.html

.PHONY: book test lint unit notebooks lab execute picture bench clean

book: .venv/installed ## build the book and say where it is
	@$(BIN)/jupyter-book build . --quiet -W --keep-going || { rm -rf _build; exit 1; }
	@echo "The book is built. Open $(abspath $(PAGE))"

test: lint unit notebooks book ## run every test

lint: .venv/installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

unit: .venv/installed
	$(BIN)/pytest --numprocesses=auto --quiet

notebooks: .venv/installed
	$(BIN)/pytest --nbval --nbval-current-env --numprocesses=auto --dist=loadfile --quiet chapters

lab: .venv/installed-lab ## open the chapters in JupyterLab
	$(BIN)/jupyter lab chapters

execute: .venv/installed ## run every notebook and store its outputs
	$(BIN)/python tools/execute.py chapters/*.ipynb
	$(BIN)/ruff format --quiet chapters

picture: .venv/installed ## draw the picture of the README again
	$(BIN)/python -m orr.plots images/overall-level.svg

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
