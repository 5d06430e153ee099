"""The server as a child process, with a script for vLLM's executable."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from factmill.models.llm import vllm_server
from factmill.models.llm.vllm_server import VllmServer
from factmill.schemas.errors import BuildError, OptionError, ServerDown

# As vLLM does: listens once it is ready, in a process whose children do the work, and says much.
FAKE = '''#!{python}
import http.server, json, os, pathlib, signal, subprocess, sys
notes = pathlib.Path({notes!r})
child = subprocess.Popen([sys.executable, "-c", """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("child is there", flush=True)
time.sleep(600)
"""], stdout=subprocess.PIPE)
child.stdout.readline()
(notes / "new").write_text(json.dumps(
    dict(pids=[os.getpid(), child.pid], arguments=sys.argv[1:], environment=dict(os.environ))))
(notes / "new").rename(notes / "started.json")
print("x" * 1_000_000, flush=True)
print("loading weights", flush=True)
{before_ready}
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        (notes / "probes").open("a").write("x")
        ready = len((notes / "probes").read_text()) > 2 and {ready}
        self.send_response(200 if ready else 503)
        self.end_headers()
        self.wfile.write(self.path.encode())
    def log_message(self, *_):
        pass
port = int(sys.argv[sys.argv.index("--port") + 1])
http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
'''


@pytest.fixture
def fake(tmp_path: Path) -> Callable[..., str]:
    def write(before_ready: str = "", ready: bool = True) -> str:
        path = tmp_path / "vllm"
        path.write_text(
            FAKE.format(
                python=sys.executable,
                notes=str(tmp_path),
                before_ready=before_ready,
                ready=ready,
            )
        )
        path.chmod(0o755)
        return str(path)

    return write


def started(tmp_path: Path) -> dict:
    return json.loads((tmp_path / "started.json").read_text())


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def until(true: Callable[[], bool], seconds: float = 60) -> None:
    give_up = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < give_up, "it did not come true"
        time.sleep(0.02)


def test_server_is_given_when_it_is_ready_and_ends_with_all_its_children(
    fake: Callable[..., str], tmp_path: Path
) -> None:
    with VllmServer(fake(), "some/model", ["--max-model-len", "512"]) as url:
        with urllib.request.urlopen(f"{url}/models") as response:
            assert response.read() == b"/v1/models"
        note = started(tmp_path)
        assert all(map(runs, note["pids"]))

    assert not any(map(runs, note["pids"]))  # though the child takes no SIGTERM
    arguments = note["arguments"]
    assert arguments[:2] == ["serve", "some/model"]
    assert arguments[-6:-1] == ["--max-model-len", "512", "--host", "127.0.0.1", "--port"]


def test_environment_has_no_secrets_and_no_python_path(
    fake: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "OPENAI_API_KEY VLLM_API_KEY AWS_SECRET_ACCESS_KEY GITHUB_TOKEN MYSQL_PASSWORD".split()
    plain = (
        "HF_TOKEN CUDA_VISIBLE_DEVICES TOKENIZERS_PARALLELISM VLLM_MAX_TOKENS_PER_EXPERT".split()
    )
    for name in (*secret, *plain, "PYTHONPATH"):
        monkeypatch.setenv(name, "1")

    with VllmServer(fake(), "some/model"):
        environment = started(tmp_path)["environment"]

    assert not {*secret, "PYTHONPATH"} & environment.keys()
    assert {*plain, "PATH"} <= environment.keys()
    assert environment["VLLM_NO_USAGE_STATS"] == "1"
    assert environment["VLLM_HTTP_TIMEOUT_KEEP_ALIVE"] == "60"


def test_start_that_fails_says_the_last_it_wrote_and_leaves_nothing(
    fake: Callable[..., str], tmp_path: Path
) -> None:
    server = VllmServer(fake("sys.exit('no such model')"), "some/model")

    with pytest.raises(BuildError, match=r"status 1; (.*\n)+loading weights\nno such model$") as e:
        server.start()

    assert len(str(e.value)) < 1000  # of a megabyte
    assert not any(map(runs, started(tmp_path)["pids"]))


def test_start_that_fails_says_which_errors_came_before_the_last_lines(
    fake: Callable[..., str],
) -> None:
    tracebacks = (
        "print('ERROR core.py:1 ValueError: too little memory')\n"
        "for line in range(99): print('  File x.py, line', line)\n"
        "raise RuntimeError('see the root cause above')"
    )

    with pytest.raises(BuildError) as caught:
        VllmServer(fake(tracebacks), "some/model").start()

    assert str(caught.value).splitlines()[1:] == [
        "ERROR core.py:1 ValueError: too little memory",
        "RuntimeError: see the root cause above",
    ]


def test_server_that_never_gets_ready_is_given_up(
    fake: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def clock() -> float:
        return 3.0 if (tmp_path / "probes").exists() else 0.0

    monkeypatch.setattr(vllm_server, "time", SimpleNamespace(monotonic=clock))
    server = VllmServer(fake(ready=False), "some/model", seconds_to_start=2)

    with pytest.raises(BuildError, match=r"(?s)not ready within 2 s.*loading weights"):
        server.start()

    assert not any(map(runs, started(tmp_path)["pids"]))


def test_server_that_dies_at_work_gives_its_last_words_to_the_error(
    fake: Callable[..., str], tmp_path: Path
) -> None:
    def work(server: VllmServer) -> None:
        with server:
            first, child = started(tmp_path)["pids"]
            os.kill(first, signal.SIGKILL)
            until(lambda: not runs(child))
            raise ServerDown("nobody answers")

    with pytest.raises(ServerDown, match=r"(?s)^nobody answers; .*loading weights"):
        work(VllmServer(fake(), "some/model"))


def test_other_errors_pass_unchanged(fake: Callable[..., str]) -> None:
    with pytest.raises(BuildError, match=r"^disk full$"), VllmServer(fake(), "some/model"):
        raise BuildError("disk full")


@pytest.mark.parametrize("ready", [True, False], ids=["serving", "still starting"])
def test_parent_killed_ends_the_server_and_its_children(
    fake: Callable[..., str], tmp_path: Path, ready: bool
) -> None:
    code = (
        "import sys, time\n"
        "from factmill.models.llm.vllm_server import VllmServer\n"
        "VllmServer(sys.argv[1], 'some/model').start()\n"
        "print('ready', flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, fake(ready=ready)], stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        if ready:
            assert parent.stdout.readline() == b"ready\n"
        else:
            until((tmp_path / "probes").exists)
        pids = started(tmp_path)["pids"]
        assert all(map(runs, pids))
        parent.kill()

    until(lambda: not any(map(runs, pids)))


def test_executable_that_is_not_there_is_an_option_error(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no executable"):
        VllmServer(str(tmp_path / "vllm"), "some/model").start()


@pytest.mark.parametrize(
    "argument", ["--port", "--host=0.0.0.0", "--trust-remote-code", "--trust_remote_code"]
)
def test_arguments_that_are_not_for_the_caller_are_refused(
    fake: Callable[..., str], argument: str
) -> None:
    with pytest.raises(OptionError, match="does not pass this argument"):
        VllmServer(fake(), "some/model", [argument]).start()
