# hearten: `make` lists the targets. Everything is installed into .venv with the versions of constraints.txt.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help serve test check bench clean

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):[^#]*## (.*)/  make \1|\2/' | column -t -s '|'

serve: .venv/light  ## the chat page on this machine (installs what it needs first)
	$(BIN)/hearten serve

test: .venv/full  ## run all tests; with HEARTEN_DATA=/path/to/corpora also those on the real corpora
	-$(BIN)/hearten models pull smollm2-135m-instruct all-minilm-l6-v2
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: .venv/full  ## formatting, lint, types, and generated pages
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/hearten results --check docs/results.md

bench: .venv/full  ## measure speed on this machine (needs HEARTEN_DATA)
	$(BIN)/python benchmarks/training.py
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/service.py --bare

clean:  ## remove the environment (keeps runs/ and the cache)
	rm -rf .venv

.venv/light: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) --editable '.[serve]'
	touch $@

.venv/full: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) --editable '.[train,engines,serve,postgres,dev]'
	touch $@ .venv/light
