# Everything a developer types. `make demo` and `make test` set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SETUP := $(VENV)/.setup-done
SOURCES := $(shell find planner bot -name '*.py')
TRANSLATIONS := $(wildcard templates/locale/*/LC_MESSAGES/*.po)

.PHONY: setup demo test check bench fit serve constraints
.DEFAULT_GOAL := demo

setup: $(SETUP)

$(VENV)/.pins-installed: constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("Muat needs Python 3.11 or newer; set PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r constraints.txt
	touch $@

$(VENV)/.installed: $(VENV)/.pins-installed pyproject.toml hatch_build.py $(TRANSLATIONS)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

# Bytecode is written here, so that the first answer is as quick as the next one.
$(SETUP): $(VENV)/.installed $(SOURCES)
	$(BIN)/python -m compileall -q planner bot
	touch $@

demo: $(SETUP)
	$(BIN)/muat fit "llama-70b qlora"

test: $(SETUP)
	$(BIN)/python -m pytest -n auto

check: $(SETUP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_imports.py tests/test_translations.py

bench: $(SETUP)
	$(BIN)/python -m bench.cold_start
	$(BIN)/python -m bench.catalog_scale

# Fits what the stacks' profiles and the cards leave open to the measured runs; takes minutes.
fit: $(SETUP)
	$(BIN)/python -m bench.fit_stacks --write
	$(BIN)/python -m bench.fit_speed --write

serve: $(SETUP)
	$(BIN)/muat serve

# Rewrites the pins; needs the network and `pip install uv`.
constraints:
	uv pip compile --quiet --universal --python-version 3.11 --extra dev --generate-hashes \
	  --no-annotate --no-header --no-emit-index-url pyproject.toml -o constraints.txt
