# factmill with everything the jobs need. Model weights come with the packages.
FROM python:3.12-slim

WORKDIR /opt/factmill
COPY setup.py pyproject.toml constraints.txt README.md ./
COPY schemas schemas
COPY models models
COPY transforms transforms
COPY pipelines pipelines
COPY runtime runtime
RUN pip install --no-cache-dir --extra-index-url https://download.pytorch.org/whl/cpu \
        -c constraints.txt '.[build,llm]'

RUN useradd --create-home factmill
USER factmill
ENTRYPOINT ["factmill"]
