# factmill in an image. Everything is installed, so that nothing is fetched when a worker starts;
# the default encoder's weights come with its package. Versions and hashes are those of locks/.
#
#   docker build -t IMAGE .                          factmill by itself, for a user without rights
#   docker build -t IMAGE --target service .         the service by itself: neither Beam nor PyTorch
#   docker build -t IMAGE --target dataflow .        what Dataflow starts: workers and launchers
#   ... --build-arg GPU=1                            CUDA's PyTorch, and vLLM beside it in /opt/vllm
#
# A checkout and an unpacked source distribution both will do. docs/operations.md says how to renew
# the digests.
ARG BEAM=apache/beam_python3.12_sdk:2.77.0
ARG LAUNCHER=gcr.io/dataflow-templates-base/python312-template-launcher-base:flex_templates_base_image_release_20260112_RC00

FROM python:3.12.14-slim@sha256:e5c9fa26ffb76e11e0f054f30dc2523a2f9693f0c36c0cf1e39b27e152d899fc AS installed
ARG GPU=
WORKDIR /opt/factmill
COPY locks locks
# The NVIDIA driver is the machine's; CUDA's libraries come with the wheels. vLLM compiles kernels.
RUN if [ -n "$GPU" ]; then \
        apt-get update && apt-get install -y --no-install-recommends gcc g++ \
        && rm -rf /var/lib/apt/lists/* \
        && python -m venv /opt/vllm \
        && /opt/vllm/bin/pip install --no-cache-dir --require-hashes -r locks/vllm.txt; \
    fi
# Setuptools first: what has no wheel is built with the one that is locked. Without a GPU, PyTorch's
# build for processors, from its own index; with one, PyPI's.
RUN torch=cuda; if [ -z "$GPU" ]; then \
        torch=cpu; export PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu; \
    fi \
    && awk '/^[^ ]/ { wanted = /^setuptools==/ } wanted' locks/factmill.txt > /tmp/setuptools.txt \
    && pip install --no-cache-dir --require-hashes -r /tmp/setuptools.txt \
    && pip install --no-cache-dir --require-hashes --no-build-isolation \
        -r locks/factmill.txt -r locks/torch-$torch.txt \
    && rm /tmp/setuptools.txt
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation . && pip check

# A small build and a query: what is installed works, and training's loops are compiled.
RUN first=$(mktemp -d) && cd "$first" \
    && echo '<title>Hill Tower</title><p>Hill Tower is a tower in Elland.' \
        'It was designed by the architect Ann Lee and was built in 1871.' > page.html \
    && factmill build store --input page.html --shards 1 \
    && factmill search store 'Who designed Hill Tower?' \
    && rm -rf "$first"

FROM ${BEAM} AS beam
FROM ${LAUNCHER} AS launcher

# Dataflow gives its containers folders that only root can write (/var/opt/google, /var/log), each on
# a machine of its own. So this image, and only this one, runs as root.
FROM installed AS dataflow
COPY --from=beam /opt/apache/beam /opt/apache/beam
COPY --from=launcher /opt/google/dataflow/python_template_launcher \
        /opt/google/dataflow/python_template_launcher
# Beam's entry point would make an empty environment for each worker.
ENV RUN_PYTHON_SDK_IN_DEFAULT_ENVIRONMENT=1
ENV FLEX_TEMPLATE_PYTHON_PY_FILE=/opt/factmill/dataflow/launch.py
ENTRYPOINT ["/opt/apache/beam/boot"]

# What answers needs a fraction of what builds need. The index is mounted, and may be read-only:
#   docker run -p 8080:8080 -v "$PWD/STORE:/store:ro" IMAGE
FROM python:3.12.14-slim@sha256:e5c9fa26ffb76e11e0f054f30dc2523a2f9693f0c36c0cf1e39b27e152d899fc AS service
WORKDIR /opt/factmill
COPY locks locks
RUN pip install --no-cache-dir --require-hashes -r locks/service.txt
COPY . .
# What is imported when it starts is there, and compiled to bytecode.
RUN pip install --no-cache-dir --no-deps --no-build-isolation . && pip check \
    && python -c 'import factmill.runtime.service.app, factmill.runtime.service.mcp_tools' \
    && useradd --create-home --uid 10001 factmill
USER 10001
WORKDIR /home/factmill
EXPOSE 8080
# A build is searched once before it answers, so a ready service is a warm one.
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8080/readyz', timeout=4)"]
ENTRYPOINT ["factmill", "serve", "--host", "0.0.0.0", "--port", "8080"]
CMD ["/store"]

FROM installed
RUN useradd --create-home --uid 10001 factmill
# By number, so that Kubernetes sees that it is not root.
USER 10001
WORKDIR /home/factmill
ENTRYPOINT ["factmill"]
