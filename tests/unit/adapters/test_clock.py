import uuid
from pathlib import Path

import pytest

from shoe_bridge.adapters import clock
from shoe_bridge.adapters.clock import SystemClock

BOOT_ID = "0b6fa3c2-7d1e-4f4e-9a58-3c1f3d2b7a10"


def tree(root: Path, boot_id: str | None = BOOT_ID, is_synchronised: bool = False) -> Path:
    if boot_id is not None:
        (root / "proc/sys/kernel/random").mkdir(parents=True)
        (root / "proc/sys/kernel/random/boot_id").write_text(boot_id + "\n")
    if is_synchronised:
        (root / "run/systemd/timesync").mkdir(parents=True)
        (root / "run/systemd/timesync/synchronized").touch()
    return root


def test_boot_id_is_the_kernels(tmp_path: Path) -> None:
    assert SystemClock(tree(tmp_path)).boot_id == BOOT_ID.replace("-", "")


@pytest.mark.parametrize("boot_id", [None, "", "not an id"])
def test_boot_id_without_the_kernels_is_random(tmp_path: Path, boot_id: str | None) -> None:
    root = tree(tmp_path, boot_id)
    first, second = SystemClock(root).boot_id, SystemClock(root).boot_id
    assert first != second
    assert uuid.UUID(first).version == 4


def test_monotonic_time_never_goes_back() -> None:
    now = SystemClock()
    times = [now.mono_ns() for _ in range(100)]
    assert times == sorted(times)
    assert now.wall_ns() > 1_600_000_000_000_000_000


@pytest.mark.parametrize("answer", [True, False])
def test_the_kernels_answer_counts_more_than_the_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bool
) -> None:
    monkeypatch.setattr(clock, "kernel_says_synchronised", lambda: answer)
    assert SystemClock(tree(tmp_path, is_synchronised=not answer)).is_wall_trusted() is answer


@pytest.mark.parametrize("mark", [True, False])
def test_where_the_kernel_cannot_be_asked_the_mark_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: bool
) -> None:
    monkeypatch.setattr(clock, "kernel_says_synchronised", lambda: None)
    assert SystemClock(tree(tmp_path, is_synchronised=mark)).is_wall_trusted() is mark


@pytest.mark.parametrize(
    ("state", "status", "expected"), [(0, 0, True), (0, 0x40, False), (5, 0, False), (-1, 0, None)]
)
def test_reading_the_kernels_answer(
    monkeypatch: pytest.MonkeyPatch, state: int, status: int, expected: bool | None
) -> None:
    class Libc:
        def adjtimex(self, reference: object) -> int:
            timex = reference._obj  # type: ignore[attr-defined]
            assert timex.modes == 0  # asks, sets nothing
            timex.status = status
            return state

    monkeypatch.setattr(clock, "_adjtimex", lambda: Libc().adjtimex)
    assert clock.kernel_says_synchronised() is expected


def test_the_real_kernel_answers_or_says_that_it_cannot() -> None:
    assert clock.kernel_says_synchronised() in (True, False, None)
    assert clock._Timex.status.offset == 5 * clock.ctypes.sizeof(clock.ctypes.c_long)  # as in <sys/timex.h>
