"""What is built from this folder: the source distribution and the image say what is true here."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, in order, each with the rest of its (joined) line."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [
        (name.upper(), rest.strip())
        for name, _, rest in (line.partition(" ") for line in joined.splitlines() if line.strip())
    ]


def copied() -> set[str]:
    """What of this folder the image has."""
    return {
        source
        for name, rest in instructions()
        if name == "COPY" and "--from" not in rest
        for source in rest.split()[:-1]
    }


def setup_arguments() -> dict[str, Any]:
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    call = next(
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "setup"
    )
    return {keyword.arg or "": keyword.value for keyword in call.keywords}


def test_image_runs_the_beam_that_is_pinned() -> None:
    pinned = re.search(
        r"^apache-beam==(\S+)$", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE
    )
    bases = [rest for name, rest in instructions() if name == "FROM"]

    assert pinned is not None
    (beam,) = (base for base in bases if "beam_python" in base)
    assert f":{pinned[1]} " in beam
    python = re.search(r"beam_python(\d)\.(\d+)_sdk", beam)
    assert python is not None
    assert bases[-1].startswith(f"python:{python[1]}.{python[2]}-slim")
    assert f"python{python[1]}{python[2]}-template-launcher-base" in " ".join(bases)


def test_image_has_every_package_and_what_it_copies_is_there() -> None:
    packages = ast.literal_eval(setup_arguments()["packages"])

    assert {package.split(".")[0] for package in packages} <= copied()
    for source in copied():
        assert (ROOT / source).exists(), source
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert not copied() & set(ignored)


def test_image_starts_beams_workers_and_the_template() -> None:
    variables = dict(rest.split("=", 1) for name, rest in instructions() if name == "ENV")
    launched = Path(variables["FLEX_TEMPLATE_PYTHON_PY_FILE"])
    place = next(rest for name, rest in instructions() if name == "WORKDIR")

    assert (ROOT / launched.relative_to(place)).is_file()
    assert instructions()[-1] == ("ENTRYPOINT", '["/opt/apache/beam/boot"]')
    assert "--from=beam /opt/apache/beam /opt/apache/beam" in [
        rest for name, rest in instructions() if name == "COPY"
    ]


def test_image_installs_what_dataflow_and_an_llm_need_at_the_pinned_versions() -> None:
    (install,) = (rest for name, rest in instructions() if name == "RUN" and "'.[" in rest)

    assert "-c constraints.txt" in install
    extras = re.search(r"'\.\[([\w,]+)\]'", install)
    assert extras is not None
    assert set(extras[1].split(",")) == {"build", "llm", "gcp", "s3"}


def test_every_direct_requirement_is_pinned() -> None:
    names = {
        re.split(r"[>=<;\[]", line)[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    }
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    lists = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for extra in ("RUNTIME", "BUILD", "LLM", "GCP", "BENCH", "DEV"):
        for node in ast.walk(lists[extra]):
            if isinstance(node, ast.Constant):
                name = re.split(r"[>=<\[]", str(node.value))[0].lower().replace("_", "-")
                assert name in names, f"{extra}: {name}"
