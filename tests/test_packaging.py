"""What is built from this folder: the wheel, the source distribution and the image."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.portable.cluster import packed, source_distribution

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("models", "pipelines", "runtime", "schemas", "transforms")
# What a service does that has a package `models` and a folder `schemas` of its own.
SERVICE = """
import json, os, sys
import models, schemas.order
from factmill import Hit, Index, open_index
import factmill.pipelines.cli.argument_types, factmill.pipelines.cli.main, factmill.schemas.errors
from factmill.runtime import index
names = {}
for name, module in list(sys.modules.items()):
    if getattr(module, "__file__", None) and os.sep + "factmill" + os.sep in module.__file__:
        names.setdefault(os.path.realpath(module.__file__), []).append(name)
print(json.dumps({
    "models": models.OWNER, "schemas": schemas.order.OWNER,
    "open_index": open_index.__module__, "factmill": factmill.__file__,
    "errors": len({id(factmill.schemas.errors.OptionError), id(index.OptionError),
                   id(factmill.pipelines.cli.argument_types.OptionError)}),
    "names": [found for found in names.values() if len(found) > 1],
    "counted": len(names),
}))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(tmp_path_factory.mktemp("wheel"), "bdist_wheel", "factmill-*.whl")


def our_files() -> set[str]:
    """Every module of ours, by its name in the package."""
    folders = {path.relative_to(ROOT) for name in FOLDERS for path in (ROOT / name).rglob("*.py")}
    inside = {path.relative_to(ROOT / "factmill") for path in (ROOT / "factmill").glob("*.py")}
    return {f"factmill/{path.as_posix()}" for path in folders | inside} | {
        "factmill/py.typed",
        "factmill/transforms/report/report.html.j2",
    }


def test_wheel_has_one_top_level_package_with_all_modules_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (top,) = (archive.read(name) for name in names if name.endswith("/top_level.txt"))
    assert top == b"factmill\n"
    assert {name for name in names if ".dist-info/" not in name} == our_files()


def test_wheel_asks_for_nothing_heavy_without_extras(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        lines = archive.read(name).decode().splitlines()
    needed = [line.removeprefix("Requires-Dist: ") for line in lines if "Requires-Dist: " in line]
    base = {re.split(r"[^\w-]", line)[0] for line in needed if "extra ==" not in line}
    assert base == {"faiss-cpu", "fsspec", "idna", "numpy", "pyarrow", "safetensors", "tokenizers"}


def test_source_distribution_has_each_module_once_and_what_building_needs(tmp_path: Path) -> None:
    with tarfile.open(source_distribution(tmp_path)) as archive:
        members = archive.getmembers()
    names = {member.name.partition("/")[2] for member in members if member.isfile()}
    assert our_files() <= names
    assert {"setup.py", "pyproject.toml", "constraints.txt", "Dockerfile"} <= names
    assert not [member.name for member in members if member.issym() or member.islnk()]
    assert not [name for name in names if name.partition("/")[0] in (*FOLDERS, "tests")]


def test_service_with_folders_of_our_names_keeps_its_own_and_ours_have_one(
    wheel: Path, tmp_path: Path
) -> None:
    environment, service = tmp_path / "venv", tmp_path / "service"
    venv.create(environment)
    site = next(environment.glob("lib/python*/site-packages"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)  # all that installing a wheel of Python alone does
    # The folder alone: what its .pth files add, such as an editable factmill, stays out.
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    for name in ("models/__init__.py", "schemas/order.py"):
        (service / name).parent.mkdir(parents=True)
        (service / name).write_text("OWNER = 'the service'\n")

    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [environment / "bin" / "python", "-c", SERVICE],
        cwd=service, env=variables, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["models"], said["schemas"]) == ("the service", "the service")
    assert said["open_index"] == "factmill.runtime.index"
    assert Path(said["factmill"]).is_relative_to(site)
    assert said["errors"] == 1
    assert said["names"] == []
    assert said["counted"] > 30


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
    folder = next(rest for name, rest in instructions() if name == "WORKDIR")

    assert (ROOT / launched.relative_to(folder)).is_file()
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
    requirements = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for extra in ("RUNTIME", "TORCH", "INSPECT", "BUILD", "LLM", "GCP", "BENCH", "DEV"):
        for node in ast.walk(requirements[extra]):
            if isinstance(node, ast.Constant):
                name = re.split(r"[>=<\[]", str(node.value))[0].lower().replace("_", "-")
                assert name in names, f"{extra}: {name}"
