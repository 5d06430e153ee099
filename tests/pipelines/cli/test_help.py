"""`factmill --help` and `factmill --version`."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import version

import pytest

from factmill.pipelines.cli.arguments import parser
from factmill.pipelines.cli.help_overview import EXIT_CODES
from factmill.pipelines.cli.main import main
from factmill.runtime.service.service_state import strategies_with
from tests.conftest import ROOT


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_help_shows_every_command_once_with_an_example_that_parses(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = _printed(capsys, "--help")

    commands = next(action.choices for action in parser()._actions if action.dest == "command")
    for name in dict(commands):  # type: ignore[call-overload]
        assert len(re.findall(rf"^  {name} ", shown, re.MULTILINE)) == 1
        (example,) = re.findall(rf"^ +factmill ({name} .+)$", shown, re.MULTILINE)
        assert example in _printed(capsys, name, "--help")
        words = [word.strip("\"'") for word in re.findall(r"\"[^\"]+\"|\S+", example)]
        assert parser().parse_args(words).command == name


def test_help_ends_with_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, codes = _printed(capsys, "--help").partition("exit codes:\n")

    assert [int(line.split()[0]) for line in codes.splitlines()] == list(EXIT_CODES)
    assert list(EXIT_CODES) == [0, 1, 2, 3, 4, 130]


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_help_of_a_service_names_the_strategies_that_it_runs(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    for shown in re.findall(r"--strategy \{(.+?)\}", _printed(capsys, command, "--help")):
        assert shown.split(",") == strategies_with(llm=True)
    assert main([command, "S", "--strategy", "r2ag"]) == 2
    assert "r2ag reads vectors, so it runs by answer and evaluate" in capsys.readouterr().err


def test_version_is_the_distribution_s(capsys: pytest.CaptureFixture[str]) -> None:
    assert _printed(capsys, "--version") == f"factmill {version('factmill')}\n"


def test_command_line_compiles_no_expression_that_only_builds_need() -> None:
    """Those of entities take half as long as all else that `factmill --help` loads."""
    program = (
        "import re; real = re.compile; longest = 0\n"
        "def watched(pattern, flags=0):\n"
        "    global longest; longest = max(longest, len(pattern)); return real(pattern, flags)\n"
        "re.compile = watched\n"
        "import factmill.pipelines.cli.arguments, factmill.models.text.entities\n"
        "print(longest)"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert int(done.stdout) < 2000
