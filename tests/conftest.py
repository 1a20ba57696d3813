"""Rules for all tests: in CI nothing is skipped, and tests that open things leave nothing open."""

import asyncio
import gc
import os
import threading
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

IS_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")
LEAK_CHECKED = ("integration", "system")
SETTLE_S = 2.0  # threads and sockets that are closing may take so long to be gone
_HERE = Path(__file__).parent
_HAS_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A tool that is missing in CI is a hole in CI, not a reason to pass."""
    report = yield
    item.stash[_HAS_FAILED] = report.failed or item.stash.get(_HAS_FAILED, False)
    if IS_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} may not skip where CI is set: {_reason(report.longrepr)}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a whole file that skips itself."""
    report = yield
    if IS_CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} may not skip where CI is set: {_reason(report.longrepr)}"
    return report


def _reason(longrepr: object) -> str:
    return str(longrepr[2]) if isinstance(longrepr, tuple) else str(longrepr)


@pytest.fixture(autouse=True)
def nothing_left_open(request: pytest.FixtureRequest) -> Iterator[None]:
    """After each integration and system test, descriptors, threads and asyncio tasks are back to before."""
    if _room(request.path) not in LEAK_CHECKED:
        yield
        return
    before = (_open_fds(), set(threading.enumerate()), _pending_tasks())
    yield
    if request.node.stash.get(_HAS_FAILED, False):
        return  # what a test left open where it broke off says nothing new
    leaked = _leaks(*before)
    deadline_s = time.monotonic() + SETTLE_S
    while leaked and time.monotonic() < deadline_s:
        time.sleep(0.02)
        leaked = _leaks(*before)
    if leaked:
        pytest.fail("left open: " + ", ".join(leaked))


def _room(path: Path) -> str:
    return path.relative_to(_HERE).parts[0] if path.is_relative_to(_HERE) else ""


def _leaks(fds: dict[int, str], threads: set[threading.Thread], tasks: list[asyncio.Task[Any]]) -> list[str]:
    if _open_fds().items() - fds.items():
        gc.collect()  # what only waits for the collector is closed by it, and warns if it should not have
    found = [f"fd {number} ({target})" for number, target in sorted(_open_fds().items() - fds.items())]
    found += [f"thread {one.name}" for one in threading.enumerate() if one not in threads]
    return found + [f"task {one.get_name()}" for one in _pending_tasks() if one not in tasks]


def _open_fds() -> dict[int, str]:
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found[int(name)] = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue  # the descriptor of the listing itself
    return found


def _pending_tasks() -> list[asyncio.Task[Any]]:
    """Tasks that nobody ended. Their loops may be gone, so the collector is the one to ask."""
    tasks = [one for one in gc.get_objects() if issubclass(type(one), asyncio.Task)]
    return [task for task in tasks if not task.done()]
