# make demo   build an index from the sample crawl and query it
# make test   the test suite
# make check  lint, format check, types
# Each sets up its own virtual environment first. PYTHON chooses the interpreter (3.10 to 3.13).

SUITABLE := import sys, venv; sys.exit(not (3, 10) <= sys.version_info < (3, 14))
PYTHON ?= $(shell for python in python3 python3.12 python3.11 python3.13 python3.10; do \
	if $$python -c "$(SUITABLE)" >/dev/null 2>&1; then echo $$python; exit; fi; done)
VENV ?= .venv
BIN := $(VENV)/bin
STORE ?= build/demo
READY := $(VENV)/.ready

.PHONY: demo test check format clean

$(READY): setup.py constraints.txt
	@test -n "$(PYTHON)" || { echo "factmill needs Python 3.10 to 3.13 with venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
	touch $(READY)

demo: $(READY)
	rm -rf $(STORE)
	$(BIN)/factmill build $(STORE) --input samples/html samples/crawl.warc.gz samples/pages.jsonl
	$(BIN)/factmill search $(STORE) "lighthouse on a rock in the sea" -k 3
	$(BIN)/factmill answer $(STORE) "When was Skerrow Point Lighthouse first lit?"
	$(BIN)/factmill inspect $(STORE) --sql "select kind, count(*) from segments group by 1"

test: $(READY)
	$(BIN)/python -m pytest

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build *.egg-info
