"""The folder that a build was begun in. Inputs are stored as they were typed, so a job that is run
by itself finds them only from there.
"""

from __future__ import annotations

import json
import os

from factmill.pipelines.settings import BuildSettings
from factmill.schemas.errors import CorruptStore, OptionError
from factmill.schemas.layout import BuildDir
from factmill.schemas.storage.atomic import write_text
from factmill.schemas.storage.paths import StoragePath, is_url, read_text
from factmill.transforms.tasks import fork_server


def note_working_folder(build: BuildDir, settings: BuildSettings) -> None:
    """Note the current folder in a new build, if its inputs are relative to it."""
    if _has_relative_inputs(settings):
        write_text(_note(build), json.dumps(os.getcwd()))


def enter_working_folder(build: BuildDir, settings: BuildSettings) -> None:
    """Make the noted folder the current one. Raises OptionError when that is impossible."""
    note = _note(build)
    if not _has_relative_inputs(settings) or not note.is_file():
        return
    try:
        folder = json.loads(read_text(note))
        if not isinstance(folder, str) or "\0" in folder:
            raise ValueError("not a name")
    except (OSError, ValueError, RecursionError) as error:
        raise CorruptStore(f"{note}: not a folder ({error})") from None
    if folder == os.getcwd():
        return
    try:
        os.chdir(folder)
    except OSError as error:
        raise OptionError(
            f"--build {build.root}: its input is relative to {folder}: {error.strerror}"
        ) from None
    # Its processes are in the folder in which it was started.
    fork_server.stop()
    fork_server.start()


def _has_relative_inputs(settings: BuildSettings) -> bool:
    return any(not is_url(file.path) and not os.path.isabs(file.path) for file in settings.inputs)


def _note(build: BuildDir) -> StoragePath:
    return build.work / "working_folder.json"
