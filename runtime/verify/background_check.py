"""Compares the files of an open index with their checksums while it answers.

    opening -> a thread reads file after file -> all match: it ends
                                              -> one does not: every later query raises

It reads one file at a time, so that queries keep the other cores. A forked process has no such
thread; its first query starts one that continues with the same file.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence

from factmill.runtime.verify.file_checksums import FileChecks, corrupt
from factmill.schemas.errors import CorruptStore, Unreachable
from factmill.schemas.manifest import FileEntry
from factmill.schemas.storage.paths import StoragePath

_LOG = logging.getLogger("factmill.opening")


class _Stopped(Exception):
    """The check was stopped; no result is needed."""


class BackgroundCheck:
    """A running check of files; `checks` has the files compared before, and records these.
    Thread-safe.
    """

    def __init__(self, root: StoragePath, files: Sequence[FileEntry], checks: FileChecks) -> None:
        self.checks = checks
        self._root, self._files = root, files
        self._fault = ""
        self._stopped, self._ended = False, not files
        # By process. No lock: one that is held during a fork would stay held in the child.
        self._threads: dict[int, threading.Thread] = {}
        if files:
            self._go_on()

    @property
    def damage(self) -> CorruptStore | None:
        """The file that does not match, if any."""
        return corrupt(self._root, [self._fault]) if self._fault else None

    def raise_fault(self) -> None:
        """Raises CorruptStore when such a file was found."""
        if damage := self.damage:
            raise damage
        if not self._ended:
            self._go_on()

    def wait(self) -> None:
        """Wait until all files are compared, or `stop` was called."""
        if not self._ended:
            self._go_on()
            self._threads[os.getpid()].join()

    def stop(self) -> None:
        """End the thread; unread files are not compared."""
        self._stopped = True
        thread = self._threads.get(os.getpid())
        # An unreferenced index may be garbage collected in any thread.
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _go_on(self) -> None:
        process = os.getpid()
        if process not in self._threads:
            thread = threading.Thread(target=self._run, name="factmill-checksums", daemon=True)
            if self._threads.setdefault(process, thread) is thread:
                thread.start()

    def _run(self) -> None:
        try:
            for file in self._files:
                self._compare(file)
        except _Stopped:
            return
        except Unreachable as error:
            _LOG.warning("not all files were compared with their checksums: %s", error)
        self._ended = True

    def _compare(self, file: FileEntry) -> None:
        try:
            self.checks.compare(self._root, file, self._unless_stopped)
        except FileNotFoundError:
            pass  # deleted meanwhile; what is open stays as it was
        except CorruptStore:
            self._fault = self._fault or f"{file.path}: not the bytes that were written"
        except OSError as error:
            self._fault = self._fault or f"{file.path}: {error.strerror}"

    def _unless_stopped(self) -> None:
        if self._stopped:
            raise _Stopped
