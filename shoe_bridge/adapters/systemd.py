"""Says to systemd what the service is doing (sd_notify), in its own datagram protocol; no library needed.

Without `NOTIFY_SOCKET` every call does nothing, so that the same code runs from a terminal.
"""

import os
import socket
from collections.abc import Mapping


class Notifier:
    """Sends states to the service supervisor named in `environ`.

    `watchdog_interval_s` is how often `watchdog()` must be called at least (half of what the unit's
    WatchdogSec allows), None when this process is not watched.
    """

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        environ = os.environ if environ is None else environ
        self._address = _address(environ.get("NOTIFY_SOCKET", ""))
        self.watchdog_interval_s = _watchdog_interval_s(environ) if self._address else None

    def ready(self, status: str = "") -> bool:
        return self._send("READY=1", status)

    def stopping(self, status: str = "") -> bool:
        return self._send("STOPPING=1", status)

    def watchdog(self) -> bool:
        return self._send("WATCHDOG=1")

    def status(self, text: str) -> bool:
        """One line for `systemctl status`."""
        return self._send("", text)

    def _send(self, state: str, status: str = "") -> bool:
        """True when the socket took it. A service supervisor that cannot be reached is no fault of ours."""
        if self._address is None:
            return False
        lines = [state] if state else []
        if status:
            lines.append("STATUS=" + " ".join(status.split()))  # a newline would start another assignment
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sock:
                sock.setblocking(False)  # a stuck supervisor must not hold the table's loop
                sock.sendto("\n".join(lines).encode(), self._address)
        except OSError:
            return False
        return True


def _address(name: str) -> str | None:
    if name.startswith("@"):  # the abstract namespace: a leading NUL on the wire
        return "\0" + name[1:]
    return name if name.startswith("/") else None


def _watchdog_interval_s(environ: Mapping[str, str]) -> float | None:
    pid = environ.get("WATCHDOG_PID", "")
    usec = environ.get("WATCHDOG_USEC", "")
    if not usec.isdecimal() or int(usec) == 0 or (pid and pid != str(os.getpid())):
        return None
    return int(usec) / 2_000_000
