# Everything a developer types. `make demo` and `make test` set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SETUP := $(VENV)/.setup-done
RECIPES := .venv-recipes
SOURCES := $(shell find planner bot -name '*.py')
TRANSLATIONS := $(wildcard templates/locale/*/LC_MESSAGES/*.po)

.PHONY: setup demo test check chaos check-recipes bench fit serve constraints
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

# Three workers killed at random, platforms that fail: each digest arrives once, on both databases.
chaos: $(SETUP)
	$(BIN)/python -m bench.chaos sqlite & other=$$!; \
	$(BIN)/python -m bench.chaos postgresql; status=$$?; wait $$other && exit $$status

$(RECIPES)/.pins-installed: constraints-recipes.txt
	test -x $(RECIPES)/bin/python || $(PYTHON) -m venv $(RECIPES)
	$(RECIPES)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r constraints-recipes.txt
	touch $@

# Recipes of many plans, read by SkyPilot's and dstack's own parsers in an environment of their own.
check-recipes: $(SETUP) $(RECIPES)/.pins-installed
	rm -rf build/recipes
	$(BIN)/python -m bench.write_recipes build/recipes
	$(RECIPES)/bin/python bench/check_recipes.py build/recipes

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
	printf 'skypilot>=0.14,<0.15\ndstack>=0.22,<0.23\n' | uv pip compile --quiet --universal --python-version 3.11 \
	  --generate-hashes --no-annotate --no-header --no-emit-index-url - -o constraints-recipes.txt
	printf 'trl>=1\ntransformers>=5\naccelerate\npeft\n' | uv pip compile --quiet --no-deps --universal --python-version 3.11 \
	  --generate-hashes --no-annotate --no-header --no-emit-index-url - >> constraints-recipes.txt
