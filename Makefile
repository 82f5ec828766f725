# Each target sets up by itself: .venv with exact pins, Debian packages through apt when root.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help setup demo test check soak docs pins

SEED ?= 1
NAME ?= demo-$(shell date +%Y%m%d-%H%M%S)
WORKERS ?= 2
BIN := .venv/bin

# Where sampler, learner, graders and tests share the cores, one thread each: more spin.
export OMP_NUM_THREADS ?= 1
export TOKENIZERS_PARALLELISM ?= false

help:
	@echo "make demo    train the embedded model and show what it gained (SEED=1 NAME=demo-...)"
	@echo "make test    the tests that are not marked slow"
	@echo "make check   format, lint, types, import layers, shape budgets, all tests"
	@echo "make soak    the long benchmarks; figures go to benchmarks/results/*.json"
	@echo "make docs    write docs/run-file.md from the configuration's own texts"
	@echo "make pins    write requirements/*.txt from the installed environment"

setup:
	@tools/setup.sh

demo: setup
	@$(BIN)/posttrain doctor -q
	@$(BIN)/posttrain train examples/demo.toml --set run.seed=$(SEED) --set run.name=$(NAME)

test: setup
	@$(BIN)/python -m pytest -q -n $(WORKERS)

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python tools/check_shape.py
	$(BIN)/python -m pytest -q -n $(WORKERS) -m ''

soak: setup
	@mkdir -p benchmarks/results
	@for file in $(sort $(wildcard benchmarks/*.py)); do \
		name=$$(basename $$file .py); echo "soak: $$name"; \
		$(BIN)/python $$file --json > benchmarks/results/$$name.json || exit 1; \
	done

docs: setup
	$(BIN)/python tools/write_run_file_page.py

pins: setup
	$(BIN)/python tools/pin_requirements.py
