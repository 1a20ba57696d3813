"""The keeper of one byte path: every life is told, every loss is followed by another try, for ever."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from shoe_bridge.errors import PortError
from shoe_bridge.link.backoff import Backoff
from shoe_bridge.runtime import port_keeper
from shoe_bridge.runtime.port_keeper import PortKeeper
from shoe_bridge.runtime.ports import Chunk, Input, LinkClosed, LinkOpened


class Port:
    """One life; the test plays its far side."""

    def __init__(self, refusal: str | None = None) -> None:
        self.refusal = refusal
        self.written: list[bytes] = []
        self.is_closed = False
        self.on_data: Callable[[bytes, int], None]
        self.on_lost: Callable[[str], None]

    async def open_async(self, on_data: Callable[[bytes, int], None], on_lost: Callable[[str], None]) -> None:
        await asyncio.sleep(0)
        if self.refusal is not None:
            raise PortError(self.refusal)
        self.on_data, self.on_lost = on_data, on_lost

    def open(self, on_data: Callable[[bytes, int], None], on_lost: Callable[[str], None]) -> None:
        raise AssertionError("the keeper never blocks the loop to open")

    def write(self, data: bytes) -> bool:
        self.written.append(data)
        return True

    def close(self) -> None:
        assert not self.is_closed
        self.is_closed = True


class Desk:
    """A keeper whose ports are `ports` in turn (a text refuses to open), and all that it said."""

    def __init__(self, *ports: Port | str, port: str = "/dev/ttyUSB0") -> None:
        self.ports = [Port(one) if isinstance(one, str) else one for one in ports]
        self.made: list[Port] = []
        self.taken: list[Input] = []
        self.told: list[tuple[str, str]] = []
        self.now_ns = 0
        self.keeper = PortKeeper(
            "reader-1",
            port,
            self._make,
            Backoff(lambda: 0.0, first_s=0.0, longest_s=0.0),
            mono_ns=self._tick,
            take=self.taken.append,
            tell=lambda what, text: self.told.append((what, text)),
        )

    def _make(self) -> Port:
        self.made.append(self.ports.pop(0) if self.ports else Port())
        return self.made[-1]

    def _tick(self) -> int:
        self.now_ns += 1_000
        return self.now_ns

    async def until(self, is_so: Callable[[], Any]) -> None:
        async with asyncio.timeout(5):
            while not is_so():  # noqa: ASYNC110  (the keeper's own task does it)
                await asyncio.sleep(0)

    def run(self, act: Callable[[], Coroutine[Any, Any, None]]) -> None:
        async def main() -> None:
            job = asyncio.ensure_future(self.keeper.run())
            try:
                await act()
            finally:
                job.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await job

        asyncio.run(main())

    def lives(self) -> list[tuple[str, int]]:
        return [(type(one).__name__, getattr(one, "generation", 0)) for one in self.taken]


def test_a_life_is_opened_read_and_closed() -> None:
    desk = Desk()

    async def act() -> None:
        await desk.until(lambda: desk.taken)
        desk.made[0].on_data(b"abc", 77)
        assert desk.keeper.write(b"to it")

    desk.run(act)
    assert desk.lives() == [("LinkOpened", 1), ("Chunk", 0), ("LinkClosed", 1)]
    assert desk.taken[1] == Chunk("reader-1", 77, b"abc")
    assert desk.made[0].written == [b"to it"]
    assert desk.made[0].is_closed
    assert isinstance(desk.taken[-1], LinkClosed)
    assert desk.taken[-1].why == "the bridge ended"
    assert desk.told == []


def test_a_loss_closes_the_port_before_the_next_is_made() -> None:
    desk = Desk()

    async def act() -> None:
        for life in range(3):
            await desk.until(lambda life=life: desk.keeper.generation == life + 1)
            assert all(port.is_closed for port in desk.made[:life])
            desk.made[life].on_lost("unplugged")
            desk.made[life].on_lost("unplugged")  # whichever call noticed it second
        await desk.until(lambda: desk.keeper.generation == 4)

    desk.run(act)
    closed = [one for one in desk.taken if isinstance(one, LinkClosed)]
    assert [(one.generation, one.why) for one in closed[:3]] == [(n, "unplugged") for n in (1, 2, 3)]
    assert [one.generation for one in desk.taken if isinstance(one, LinkOpened)][:3] == [1, 2, 3]
    assert desk.told[0] == (
        "lost",
        "reader-1 was lost: unplugged; it is opened again as soon as it is back",
    )
    assert [what for what, _ in desk.told].count("lost") == 1  # the rest of the cycle whispers


def test_refusals_are_told_once_and_tried_on() -> None:
    desk = Desk("no such port.", "no such port.", "no such port.")

    async def act() -> None:
        await desk.until(lambda: desk.taken)
        assert len(desk.told) == 1  # it may hang up at once
        desk.made[-1].on_data(b"a", 1)
        await desk.until(lambda: len(desk.told) == 2)

    desk.run(act)
    assert len(desk.made) == 4
    assert desk.told[0] == ("lost", "no such port.")
    assert [what for what, _ in desk.told] == ["lost", "opened"]
    assert desk.lives() == [("LinkOpened", 1), ("Chunk", 0), ("LinkClosed", 1)]


def test_a_server_that_hangs_up_each_time_is_never_told_as_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(port_keeper, "STAYS_S", 0.05)
    desk = Desk()

    async def act() -> None:
        for life in range(20):
            await desk.until(lambda life=life: desk.keeper.generation == life + 1)
            desk.made[life].on_lost("its serial server hung up at once")
        await desk.until(lambda: desk.keeper.generation == 21)
        assert [what for what, _ in desk.told] == ["lost"]
        await desk.until(lambda: len(desk.told) == 2)  # now it stays
        desk.made[20].on_lost("unplugged")
        await desk.until(lambda: len(desk.told) == 3)

    desk.run(act)
    assert [what for what, _ in desk.told] == ["lost", "opened", "lost"]


def test_a_mute_device_at_a_serial_server_may_be_served_to_another() -> None:
    assert Desk().keeper.of_a_server() == ""
    desk = Desk(port="socket://10.0.0.7:4001")

    async def act() -> None:
        await desk.until(lambda: desk.taken)
        assert "its serial server serves another program" in desk.keeper.of_a_server()
        desk.made[0].on_data(b"?", 1)
        assert desk.keeper.of_a_server() == ""

    desk.run(act)


def test_somebody_else_may_have_connected_where_the_device_should() -> None:
    desk = Desk(port="listen://0.0.0.0:10001")

    async def act() -> None:
        await desk.until(lambda: desk.taken)
        assert desk.keeper.of_a_server() == ""
        desk.made[0].far_sides = ("10.0.0.7", "10.0.0.9")  # type: ignore[attr-defined]
        assert desk.keeper.of_a_server() == (
            "; or it is not the device that has connected from 10.0.0.7, 10.0.0.9"
        )

    desk.run(act)


def test_the_first_opening_says_why_it_cannot_be() -> None:
    desk = Desk("it is busy.")

    async def main() -> None:
        with pytest.raises(PortError, match="it is busy"):
            await desk.keeper.open_first()

    asyncio.run(main())
    assert desk.taken == []
    assert desk.keeper.generation == 0


def test_a_life_that_was_opened_first_is_not_opened_twice() -> None:
    desk = Desk()

    async def act() -> None:
        await desk.until(lambda: len(desk.taken) == 1)

    async def main() -> None:
        await desk.keeper.open_first()
        job = asyncio.ensure_future(desk.keeper.run())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job

    asyncio.run(main())
    assert len(desk.made) == 1
    assert desk.lives() == [("LinkOpened", 1), ("LinkClosed", 1)]


def test_nothing_is_written_where_no_path_is() -> None:
    desk = Desk()
    assert desk.keeper.write(b"early") is False
    desk.keeper.end_life("never began")  # nothing to end


def test_the_link_can_end_its_life() -> None:
    desk = Desk()

    async def act() -> None:
        await desk.until(lambda: desk.keeper.generation == 1)
        desk.keeper.end_life("its link failed")
        await desk.until(lambda: desk.keeper.generation == 2)

    desk.run(act)
    assert [one.why for one in desk.taken if isinstance(one, LinkClosed)] == [
        "its link failed",
        "the bridge ended",
    ]


def test_a_port_that_fails_to_close_ends_nothing_else() -> None:
    class Stubborn(Port):
        def close(self) -> None:
            super().close()
            raise OSError(5, "Input/output error")

    desk = Desk(Stubborn())

    async def act() -> None:
        await desk.until(lambda: desk.keeper.generation == 1)
        desk.made[0].on_lost("the line failed")
        await desk.until(lambda: desk.keeper.generation == 2)

    desk.run(act)
    assert desk.made[0].is_closed
