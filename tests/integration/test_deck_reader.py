"""A deck is registered and checked over the real link: simulated readers on ptys, laid-down cards."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from shoe_bridge.cli import run_command
from shoe_bridge.cli.deck_tags import TagRead, any_antenna, from_reader
from shoe_bridge.errors import PortError
from shoe_bridge.runtime.decks import save_register
from shoe_bridge.sim.device import SimDevice
from shoe_bridge.sim.feig_device import FeigDevice
from shoe_bridge.sim.hid_keyboard_device import HidKeyboardDevice
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.pepper_device import PepperDevice
from shoe_bridge.sim.pn532_device import Pn532Device
from shoe_bridge.sim.pty_host import PtyHost
from shoe_bridge.sim.tablelink_device import TablelinkDevice
from shoe_bridge.sim.tags import deck_tags, technology_for
from shoe_bridge.sim.text_line_device import TextLineDevice
from shoe_bridge.sim.uhf_devices import R2000Device, Yrm100Device
from shoe_bridge.sim.world import World
from shoe_bridge.table.deck import Deck, Register

TAGS = deck_tags("blue")
WAIT_S = 20.0
CYCLE_MS = 20

Make = Callable[[World], SimDevice]


def tablelink(world: World) -> SimDevice:
    return TablelinkDevice("reader", air=Air(world), antennas={3: "board"}, cycle_ms=CYCLE_MS)


def pepper(world: World) -> SimDevice:
    return PepperDevice("reader", air=Air(world), antennas={3: "board"}, cycle_ms=CYCLE_MS)


def feig(world: World) -> SimDevice:
    return FeigDevice("reader", air=Air(world), antennas={1: "board"}, cycle_ms=CYCLE_MS)


def pn532(world: World) -> SimDevice:
    return Pn532Device("reader", air=Air(world), antennas={1: "board"})


def yrm100(world: World) -> SimDevice:
    return Yrm100Device("reader", air=Air(world), antennas={1: "board"})


def r2000(world: World) -> SimDevice:
    return R2000Device("reader", air=Air(world), antennas={2: "board"})


def text_line(world: World) -> SimDevice:
    return TextLineDevice("reader", air=Air(world), antennas={0: "board"}, cycle_ms=CYCLE_MS)


def text_line_without_antenna(world: World) -> SimDevice:
    return TextLineDevice("reader", air=Air(world), antennas={0: "board"}, cycle_ms=CYCLE_MS, form="wohlig")


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        ("tablelink", tablelink),
        ("pepper_c1", pepper),
        ("feig_obid", feig),
        ("pn532", pn532),
        ("yrm100", yrm100),
        ("r2000", r2000),
        ("text_line", text_line),
        ("text_line", text_line_without_antenna),
    ],
)
def test_each_card_that_is_laid_down_is_read_once(tmp_path: Path, kind: str, make: Make) -> None:
    world = World()
    deck = deck_tags("blue", technology_for(kind))[:3]

    async def read(host: PtyHost) -> list[str]:
        source = from_reader(any_antenna(kind, str(tmp_path / "reader")))
        tags: list[str] = []
        for tag in deck:
            with host.table():
                world.place(tag, "board")
            tags.append((await asyncio.wait_for(anext(source), WAIT_S)).tag)
        await source.aclose()
        return tags

    with PtyHost([make(world)], tmp_path) as host:
        assert asyncio.run(read(host)) == list(deck)


@pytest.mark.parametrize("rule", ["hex", "decimal", "decimal reversed"])
def test_a_reader_that_types_names_the_chips_own_tag_by_its_rule(tmp_path: Path, rule: str) -> None:
    """The same tag as every other reader reads, so that the deck serves a table without such a reader."""
    world = World()
    deck = ("04A1B2C3", "9EB36E66")

    async def read(host: PtyHost) -> list[str]:
        source = from_reader(any_antenna("hid_keyboard", str(tmp_path / "reader"), rule))
        tags: list[str] = []
        for tag in deck:
            read = asyncio.ensure_future(anext(source))
            while not read.done():  # what is typed before the port is open nobody reads
                with host.table():
                    world.place(tag, "board")
                await asyncio.wait({read}, timeout=1.0)
                with host.table():
                    world.lift(tag)
                await asyncio.wait({read}, timeout=4 * CYCLE_MS / 1000)
            tags.append((await read).tag)
        await source.aclose()
        return tags

    wedge = HidKeyboardDevice("reader", air=Air(world), antennas={1: "board"}, cycle_ms=CYCLE_MS, rule=rule)
    with PtyHost([wedge], tmp_path) as host:
        assert asyncio.run(asyncio.wait_for(read(host), 2 * WAIT_S)) == list(deck)


def test_a_tag_that_answers_at_two_antennas_at_once_is_a_clone(tmp_path: Path) -> None:
    world = World()
    antennas = {3: "board", 4: "burn"}
    device = TablelinkDevice("reader", air=Air(world), antennas=antennas, cycle_ms=CYCLE_MS)

    async def read(host: PtyHost) -> list[TagRead]:
        source = from_reader(any_antenna("tablelink", str(tmp_path / "reader")))
        with host.table():
            world.place(TAGS[0], "board")
        reads = [await asyncio.wait_for(anext(source), WAIT_S)]
        with host.table():
            world.stray(TAGS[0], "burn")  # both antennas hear that id
        reads.append(await asyncio.wait_for(anext(source), WAIT_S))
        await source.aclose()
        return reads

    with PtyHost([device], tmp_path) as host:
        reads = asyncio.run(read(host))
    assert [(read.tag, read.is_clone) for read in reads] == [(TAGS[0], False), (TAGS[0], True)]


def test_a_reader_that_is_pulled_is_one_sentence(tmp_path: Path) -> None:
    device = tablelink(World())

    async def read(host: PtyHost) -> None:
        source = from_reader(any_antenna("tablelink", str(tmp_path / "reader")))
        waiting = asyncio.ensure_future(anext(source))
        await asyncio.sleep(0.2)
        with host.table():
            device.unplug()
        with pytest.raises(PortError, match="gives no more tags"):
            await asyncio.wait_for(waiting, WAIT_S)

    with PtyHost([device], tmp_path) as host:
        asyncio.run(read(host))


def test_a_spread_deck_is_checked_at_a_configured_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world = World()
    save_register(
        tmp_path / "decks.toml",
        Register((Deck("blue", dict(zip(TAGS[:4], ["As", "2s", "3s", "4s"], strict=True))),)),
    )
    (tmp_path / "table.toml").write_text(
        f"""
        [table]
        id = "t-1"
        game = "holdem"
        seats = 1
        decks = "decks.toml"
        [[device]]
        name = "reader"
        kind = "tablelink"
        port = "{tmp_path / "reader"}"
        antennas = {{ 1 = "seat 1", 2 = "burn", 3 = "board" }}
        """
    )
    for tag in (*TAGS[:3], TAGS[9]):
        world.place(tag, "board")
    arguments = ["--file", str(tmp_path / "decks.toml"), "--wait-s", "1"]
    arguments += ["--config", str(tmp_path / "table.toml"), "--place", "board"]
    with PtyHost([tablelink(world)], tmp_path):
        assert run_command(["deck", "check", *arguments]) == 1
    out = capsys.readouterr().out
    assert "3 of 4 tags answered" in out
    assert f"missing: 4s ({TAGS[3]})" in out
    assert f"does not belong: {TAGS[9]}, in no deck" in out
