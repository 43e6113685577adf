# make up [DIR=PATH] [ONCE=1]   install, index DIR (default: this repository), show what is known, watch
# make test                     everything that must hold: lint, types, imports, tests
# make test-terminal            the screens, driven in tmux
# make bench [DATA=FOLDER]      the figures of tests/benchmarks, printed
# make screenshots              take the README's pictures again
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
DIR ?= .
ONCE ?=
DATA ?=
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: up test test-terminal bench screenshots clean

up: $(VENV)/.installed
	@$(BIN)/afresh up $(if $(ONCE),--once) "$(DIR)"

test: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n auto --dist loadfile

test-terminal: $(VENV)/.installed-dev
	AFRESH_TERMINAL_TESTS=1 $(BIN)/pytest tests/end_to_end/test_tui.py

bench: $(VENV)/.installed-dev
	$(BIN)/python -m tests.benchmarks $(if $(DATA),--data "$(DATA)")

screenshots: $(VENV)/.installed-dev
	$(BIN)/python screenshots/take.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "afresh needs Python 3.11 or newer; say which with PYTHON=/path/to/python" >&2; exit 2; }
	@echo "creating $(VENV) with $(PYTHON)" >&2
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing afresh and what it needs (a minute or two the first time)" >&2
	@$(PIP) install -c constraints.txt -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing afresh with its development tools" >&2
	@$(PIP) install -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.installed
