"""Opens the files of a build that answer queries, and checks them as `opening_checks` says."""

from __future__ import annotations

from dataclasses import dataclass

from factmill.models.codes.hash_head import HashHead
from factmill.runtime.mapped.open_files import IndexFiles
from factmill.runtime.verify.background_check import BackgroundCheck
from factmill.runtime.verify.file_checksums import FileChecks, corrupt
from factmill.runtime.verify.index_shapes import check_shapes
from factmill.runtime.verify.opening_checks import (
    BACKGROUND_BYTES,
    OPENING_CHECKS,
    OpeningCheck,
)
from factmill.runtime.verify.served_files import check_listed, decides_all, served_files
from factmill.schemas.errors import CorruptStore, OptionError
from factmill.schemas.layout import BuildDir
from factmill.schemas.manifest import Manifest
from factmill.schemas.storage.paths import local_view


@dataclass(frozen=True, slots=True)
class OpenedFiles:
    """The open files of a build, and the background check of files not compared yet, if any."""

    head: HashHead
    index: IndexFiles
    check: BackgroundCheck


def open_files(
    build: BuildDir, manifest: Manifest, check: OpeningCheck, before: FileChecks | None
) -> OpenedFiles:
    """Open the files in the manifest; those compared `before` are not compared again. Raises
    CorruptStore, and OptionError for an unknown check.
    """
    if check not in OPENING_CHECKS:
        raise OptionError(f"check must be one of {', '.join(OPENING_CHECKS)}, not {check!r}")
    files = served_files(build, manifest)
    first = [file for file in files if decides_all(file)]
    later = [file for file in files if not decides_all(file)]
    if check == "auto":
        much = sum(file.bytes for file in later) > BACKGROUND_BYTES
        check = "background" if much else "checksums"
    if check == "checksums":
        first, later = files, []
    checks = FileChecks(before.compared if before else ())
    with local_view(build.root, [(file.path, file.bytes) for file in files]) as here:
        try:
            check_listed(BuildDir(here), manifest)
            if faults := checks.faults(here, first):
                raise corrupt(here, faults)
            head = HashHead.load(BuildDir(here).hash_head)
            index = IndexFiles(BuildDir(here), range(manifest.shards), head)
            check_shapes(index, manifest)
        except CorruptStore as error:
            raise CorruptStore(str(error).replace(str(here), str(build.root))) from None
    unread = later if check == "background" else []
    return OpenedFiles(head, index, BackgroundCheck(build.root, unread, checks))
