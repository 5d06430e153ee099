"""The owner of a store's lock: a process of a machine, as the lock file records it.

The file has a line of JSON, followed by a count of renewals. A process on the same machine can see
whether the owner lives; other machines cannot.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Owner:
    """`process_table` identifies a machine, its boot and its visible processes; `began` tells two
    processes with one number apart; both are "" if the system does not say. `since` is for people.
    """

    token: str
    doing: str
    host: str
    pid: int
    process_table: str
    began: str
    since: str

    @classmethod
    def this_process(cls, doing: str) -> Owner:
        pid = os.getpid()
        since = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC")
        token = secrets.token_hex(8)
        host = socket.gethostname()
        return cls(token, doing, host, pid, _process_table(), _began(pid), since)

    @property
    def dead(self) -> bool | None:
        """Whether the process has ended; None when it cannot be seen from here."""
        if not self.process_table or self.process_table != _process_table():
            return None
        return _began(self.pid) != self.began

    def written(self, renewals: int) -> bytes:
        """The content of the lock file after this many renewals."""
        raw = asdict(self)
        raw["place"] = raw.pop("process_table")  # the name in files
        return f"{json.dumps(raw)}\n{renewals}\n".encode()

    @classmethod
    def read(cls, content: bytes) -> Owner | None:
        """None for a file that its owner is still writing, or died writing."""
        try:
            raw = json.loads(content.partition(b"\n")[0])
            owner = cls(process_table=raw.pop("place"), **raw)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        return owner if isinstance(owner.pid, int) else None


def _process_table() -> str:
    """Identifies this boot of this machine and its process table; "" if the system does not say."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _began(pid: int) -> str:
    """When a process began, by the kernel's own count; "" when it is not running."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    state, *rest = stat.rpartition(")")[2].split()
    return "" if state in "ZX" else rest[18]
