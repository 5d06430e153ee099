# One image for everything that runs: workers of Beam's runners, the launcher, Dataflow's flex
# template, and `factmill` by itself. Everything is installed, so that nothing is fetched when a
# worker starts; the default encoder's weights come with its package.
#
#   docker build -t IMAGE .                        processors
#   docker build -t IMAGE --build-arg GPU=1 .      CUDA's PyTorch, and vLLM beside it in /opt/vllm
#
# The version of Beam is that of constraints.txt, here and in the workers' entry point.
FROM apache/beam_python3.12_sdk:2.77.0 AS beam
FROM gcr.io/dataflow-templates-base/python312-template-launcher-base:latest AS launcher
FROM python:3.12-slim

ARG GPU=
WORKDIR /opt/factmill
# The NVIDIA driver is the machine's; CUDA's libraries come with the wheels. vLLM compiles kernels.
RUN if [ -n "$GPU" ]; then \
        apt-get update && apt-get install -y --no-install-recommends gcc g++ \
        && rm -rf /var/lib/apt/lists/* \
        && python -m venv /opt/vllm && /opt/vllm/bin/pip install --no-cache-dir 'vllm>=0.28'; \
    fi

COPY setup.py pyproject.toml constraints.txt README.md MANIFEST.in ./
COPY factmill factmill
COPY schemas schemas
COPY models models
COPY transforms transforms
COPY pipelines pipelines
COPY runtime runtime
COPY dataflow dataflow
# Without a GPU, PyTorch's build for processors; with one, PyPI's.
RUN if [ -z "$GPU" ]; then export PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu; fi \
    && pip install --no-cache-dir -c constraints.txt '.[build,llm,gcp,s3]' \
    && pip check

# A small build and a query: what is installed works, and training's loops are compiled.
RUN first=$(mktemp -d) && cd "$first" \
    && echo '<title>Hill Tower</title><p>Ann Lee designed the tower, which was built in 1871.' \
        > page.html \
    && factmill build store --input page.html --shards 1 \
    && factmill search store 'Who designed Hill Tower?' \
    && rm -rf "$first"

COPY --from=beam /opt/apache/beam /opt/apache/beam
COPY --from=launcher /opt/google/dataflow/python_template_launcher \
        /opt/google/dataflow/python_template_launcher
# Beam's entry point would make an empty environment for each worker.
ENV RUN_PYTHON_SDK_IN_DEFAULT_ENVIRONMENT=1
ENV FLEX_TEMPLATE_PYTHON_PY_FILE=/opt/factmill/dataflow/launch.py

# Dataflow's workers and launcher choose no user and are run as root, in containers of their own
# machines. Elsewhere: docker run --user factmill --entrypoint factmill IMAGE build ...
RUN useradd --create-home factmill
ENTRYPOINT ["/opt/apache/beam/boot"]
