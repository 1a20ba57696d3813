"""A relay board behind a real pty: lit, unplugged, plugged in again, and one that stops reading."""

import asyncio
import os
import tty
from collections.abc import Callable
from pathlib import Path

import pytest

from shoe_bridge.runtime.light_driver import PortLight, port_light
from shoe_bridge.table.light_state import LightState

WAIT_S = 8.0


class BoardOnPty:
    """The board's firmware at the near end of a pty; `path` is a link that follows each new pty."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lit: set[int] = set()
        self.pending = b""
        self.near = -1

    def plug(self) -> None:
        self.near, far = os.openpty()
        tty.setraw(far)
        self.path.unlink(missing_ok=True)
        self.path.symlink_to(os.ttyname(far))
        os.close(far)
        os.set_blocking(self.near, False)
        self.pending = b""
        self.read_on()

    def unplug(self) -> None:
        self.stop_reading()
        os.close(self.near)

    def read_on(self) -> None:
        asyncio.get_running_loop().add_reader(self.near, self._on_readable)

    def stop_reading(self) -> None:
        asyncio.get_running_loop().remove_reader(self.near)

    def _on_readable(self) -> None:
        try:
            self.pending += os.read(self.near, 65536)
        except OSError:  # nobody has the far end open now
            return
        while self.pending:
            if self.pending[0] == 0xFF:
                self.pending = self.pending[1:]
                lines = (f"CH{n}: {'ON' if n in self.lit else 'OFF'}\r\n" for n in range(1, 5))
                os.write(self.near, "".join(lines).encode())
            elif self.pending[0] != 0xA0:
                self.pending = self.pending[1:]
            elif len(self.pending) < 4:
                return
            else:
                start, channel, is_on, check = self.pending[:4]
                assert (start + channel + is_on) & 0xFF == check
                (self.lit.add if is_on else self.lit.discard)(channel)
                self.pending = self.pending[4:]


async def fill(path: Path) -> None:
    """Fills the kernel's buffers toward the board, as hours of renewals would."""
    fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    turns_when_full = 0
    while turns_when_full < 3:  # the kernel moves bytes on in the background, which makes room once more
        await asyncio.sleep(0.02)
        try:
            while os.write(fd, b"\xfe" * 16):  # in small writes: the kernel has a store of its own for those
                turns_when_full = 0
        except BlockingIOError:
            turns_when_full += 1
    os.close(fd)


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not is_so():  # noqa: ASYNC110  what is waited for comes over a pty
            await asyncio.sleep(0.002)


@pytest.fixture
def board(tmp_path: Path) -> BoardOnPty:
    return BoardOnPty(tmp_path / "light")


def light_at(board: BoardOnPty) -> PortLight:
    return port_light("dealer", "lcus_relay", str(board.path))


def test_a_board_is_lit_confirmed_lost_and_lit_again(board: BoardOnPty) -> None:
    async def test() -> None:
        light = light_at(board)
        effect = light.driver.effect
        light.driver.desire(LightState.ALL_WELL)
        task = asyncio.ensure_future(light.run())
        await until(lambda: "does not exist" in (effect.trouble or ""))
        board.plug()
        await until(lambda: effect.is_showing(LightState.ALL_WELL))
        assert board.lit == {1}
        light.driver.desire(LightState.MISDEAL_ADVISED)
        await until(lambda: effect.is_showing(LightState.MISDEAL_ADVISED))
        assert board.lit == {3}
        board.unplug()
        board.lit.clear()
        await until(lambda: not effect.is_open)
        light.driver.desire(LightState.ATTENTION)
        board.plug()
        await until(lambda: effect.is_showing(LightState.ATTENTION))
        assert board.lit == {2}
        light.driver.desire(LightState.NOT_MONITORED)
        assert await light.driver.settle(WAIT_S)
        task.cancel()
        await asyncio.wait([task])
        await until(lambda: board.lit == set())  # what was written last arrives though the port is closed
        board.unplug()

    before = len(os.listdir("/proc/self/fd"))
    asyncio.run(test())
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_board_that_stops_reading_gets_only_the_latest_state_afterwards(board: BoardOnPty) -> None:
    async def test() -> None:
        board.plug()
        light = light_at(board)
        effect = light.driver.effect
        task = asyncio.ensure_future(light.run())
        await until(lambda: effect.is_showing(LightState.NOT_MONITORED))
        board.stop_reading()
        await fill(board.path)
        light.driver.desire(LightState.ATTENTION)
        await until(lambda: "takes no more bytes" in (effect.trouble or ""))
        light.driver.desire(LightState.MISDEAL_ADVISED)
        seen: list[set[int]] = []
        board.pending = b""
        os.read(board.near, 65536)  # the filler that the line discipline holds
        board.read_on()
        await until(lambda: seen.append(set(board.lit)) or effect.is_showing(LightState.MISDEAL_ADVISED))
        assert {2} not in seen
        assert board.lit == {3}
        task.cancel()
        await asyncio.wait([task])
        board.unplug()

    asyncio.run(test())
