# Everything a person runs. Needs python3 >= 3.11, make and git; the rest sets itself up beside this file.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PORT ?= 8787
DEPLOYMENT ?= examples.shop.deployment:deployment
DATA ?= .connecta
ARCHITECTURE ?= x86_64
TESTS ?=
SETUP := python3 tools/environment.py
export SAM_CLI_TELEMETRY = 0

.PHONY: help
help:
	@echo "make run      serve the example deployment on http://127.0.0.1:$(PORT)/mcp (PORT=, DEPLOYMENT=, DATA=)"
	@echo "make test     every test (TESTS=tests/catalog for some of them)"
	@echo "make matrix   every cell of the matrix of hosts and views; make test plays those that cover each pair"
	@echo "make check    lint, formatting and types"
	@echo "make bench    measure, print and keep the numbers in bench/results/"
	@echo "make build    sam build (ARCHITECTURE=arm64 for Graviton)"
	@echo "make events   write events/ again from tools/events.py"
	@echo "make docs     write docs/guest-api.md again from the contract's cases"
	@echo "make images   take the pictures in docs/images/ again"
	@echo "make bundle   write the preview's bundle of npm packages again"
	@echo "make clean    remove everything that was set up or built here"

.PHONY: run
run:
	@$(SETUP) project
	@exec .venv/bin/python -m connecta dev --port $(PORT) --deployment $(DEPLOYMENT) --data $(DATA)

.PHONY: test
test:
	@$(SETUP) project sam runtime clients npm browser
	@.venv/bin/python -m pytest $(TESTS)

.PHONY: matrix
matrix:
	@$(SETUP) project npm browser
	@.venv/bin/python -m pytest tests/apps/every_cell.py

.PHONY: check
check:
	@$(SETUP) project
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/pyright

.PHONY: bench
bench:
	@$(SETUP) project sam runtime npm browser
	@.venv/bin/python -m bench.run

.PHONY: build
build:
	@$(SETUP) sam
	@python=$$(python3 tools/interpreter.py --only 3.13) || \
		{ echo "make build makes the artifact for Lambda's python3.13 and compiles it with that version." >&2; exit 1; }; \
	PYTHON=$$python ARCHITECTURE=$(ARCHITECTURE) AWS_DEFAULT_REGION=$${AWS_DEFAULT_REGION:-us-east-1} \
		.venv-sam/bin/sam build --parameter-overrides Architecture=$(ARCHITECTURE)

.PHONY: events
events:
	@python3 tools/events.py

.PHONY: docs
docs:
	@$(SETUP) project
	@.venv/bin/python -m tools.guest_api
	@.venv/bin/python -m tools.tools_page

.PHONY: images
images:
	@$(SETUP) project npm browser
	@.venv/bin/python -m tools.images

.PHONY: bundle
bundle:
	@$(SETUP) project npm
	@.venv/bin/node tools/preview_bundle.js tests/apps src/connecta/local/preview/static

.PHONY: clean
clean:
	rm -rf .venv .venv-sam .venv-clients .tools .aws-sam .pytest_cache .ruff_cache .hypothesis
	find tests -name node_modules -prune -exec rm -rf {} +
	find src layers tests examples bench tools -name __pycache__ -prune -exec rm -rf {} +
