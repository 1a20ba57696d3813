"""The host's clocks: monotonic time for every decision, wall time as a label with a trust flag."""

import ctypes
import os
import time
import uuid
from collections.abc import Callable
from functools import cache
from pathlib import Path

_STA_UNSYNC = 0x40  # <sys/timex.h>: the kernel's clock is not disciplined
_TIME_ERROR = 5  # adjtimex: clock not synchronised
_TIMEX_BYTES = 512  # struct timex takes 208; the rest keeps a longer one of another libc inside our memory
_TIMESYNC_MARK = "run/systemd/timesync/synchronized"  # systemd-timesyncd touches it once it has synchronised
_BOOT_ID = "proc/sys/kernel/random/boot_id"


class _Timex(ctypes.Structure):
    """The head of `struct timex` up to `status`; `modes` 0 asks and changes nothing."""

    _fields_ = [
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_ubyte * (_TIMEX_BYTES - 48)),
    ]


@cache
def _adjtimex() -> Callable[..., int] | None:
    try:
        call: Callable[..., int] = ctypes.CDLL(None, use_errno=True).adjtimex
    except (OSError, AttributeError):
        return None
    return call


def kernel_says_synchronised() -> bool | None:
    """Whether the kernel's clock is disciplined (NTP, PTP, chrony); None where the kernel cannot be asked."""
    adjtimex = _adjtimex()
    if adjtimex is None:
        return None
    timex = _Timex()
    state = adjtimex(ctypes.byref(timex))
    if state < 0:
        return None
    return state != _TIME_ERROR and not timex.status & _STA_UNSYNC


class SystemClock:
    """The clocks of this host. `root` is where `/proc` and `/run` are found.

    `boot_id` names this boot of the host (32 hex digits); a random one where the kernel names none, so that
    two processes of one boot may then differ, and order is never claimed across them.
    """

    def __init__(self, root: Path = Path("/")) -> None:
        self._timesync_mark = os.fspath(root / _TIMESYNC_MARK)
        self.boot_id = _boot_id(root / _BOOT_ID)

    def mono_ns(self) -> int:
        return time.monotonic_ns()

    def wall_ns(self) -> int:
        return time.time_ns()

    def is_wall_trusted(self) -> bool:
        """Whether wall time is synchronised; False when that cannot be known."""
        answer = kernel_says_synchronised()
        return os.path.exists(self._timesync_mark) if answer is None else answer


def _boot_id(path: Path) -> str:
    try:
        return uuid.UUID(path.read_text("ascii").strip()).hex
    except (OSError, ValueError):  # no /proc, or not a UUID in it
        return uuid.uuid4().hex
