import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoe_bridge.adapters.systemd import Notifier


@pytest.fixture(params=["file", "abstract"])
def supervisor(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, str]]:
    name = str(tmp_path / "notify") if request.param == "file" else f"@shoe-bridge-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind("\0" + name[1:] if name.startswith("@") else name)
        sock.settimeout(2)
        yield sock, name


def test_states_reach_the_supervisor(supervisor: tuple[socket.socket, str]) -> None:
    sock, name = supervisor
    notifier = Notifier({"NOTIFY_SOCKET": name})
    said = [
        (notifier.ready("table holdem-07\nwatched"), b"READY=1\nSTATUS=table holdem-07 watched"),
        (notifier.watchdog(), b"WATCHDOG=1"),
        (notifier.status("2 of 3 devices"), b"STATUS=2 of 3 devices"),
        (notifier.stopping(), b"STOPPING=1"),
    ]
    for was_taken, message in said:
        assert was_taken
        assert sock.recv(200) == message


@pytest.mark.parametrize("environ", [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "relative/name"}])
def test_without_a_supervisor_nothing_happens(environ: dict[str, str]) -> None:
    notifier = Notifier({**environ, "WATCHDOG_USEC": "1000000"})
    assert notifier.watchdog_interval_s is None
    assert not any((notifier.ready(), notifier.watchdog(), notifier.status("x"), notifier.stopping()))


def test_a_supervisor_that_is_gone_or_stuck_harms_nothing(tmp_path: Path) -> None:
    assert not Notifier({"NOTIFY_SOCKET": str(tmp_path / "gone")}).ready()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(str(tmp_path / "stuck"))
        notifier = Notifier({"NOTIFY_SOCKET": str(tmp_path / "stuck")})
        assert not all(notifier.watchdog() for _ in range(5000))  # its queue is full; the call returns


@pytest.mark.parametrize(
    ("environ", "interval_s"),
    [
        ({"WATCHDOG_USEC": "3000000"}, 1.5),
        ({"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": str(os.getpid())}, 1.5),
        ({"WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_watchdog_interval_is_half_of_what_the_unit_allows(
    environ: dict[str, str], interval_s: float | None
) -> None:
    assert Notifier({"NOTIFY_SOCKET": "/nowhere", **environ}).watchdog_interval_s == interval_s
