import fcntl
import os
import tempfile
from pathlib import Path

import pytest

from protocol.text_presets import PRESETS, names_antenna
from shoe_bridge.cli import run_command
from shoe_bridge.cli.demo_table import ERROR_KINDS, DemoPlan, simulated_register, write_table
from shoe_bridge.cli.sim_deck import RetaggedWorld, world_for
from shoe_bridge.cli.sim_host import HeardDevice
from shoe_bridge.cli.sim_ports import SimPorts, port_paths
from shoe_bridge.cli.sim_run import SimRun
from shoe_bridge.errors import ConfigError, DeckError, UsageError
from shoe_bridge.link.device_link import DeviceLink
from shoe_bridge.link.presence import Presence
from shoe_bridge.runtime.assembly import links_of
from shoe_bridge.runtime.config import parse
from shoe_bridge.runtime.decks import load_register, save_register, tag_fault
from shoe_bridge.sim.hid_keypad_device import HidKeypadDevice
from shoe_bridge.sim.light_devices import TowerLight
from shoe_bridge.sim.tags import DEFAULT_DECK, STANDARD_52, TECHNOLOGIES, Technology, deck_tags, tag_uid
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.observations import CardArrived

PLAIN = """
[table]
id = "t-1"
game = "holdem"
seats = 2
[[device]]
name = "reader-1"
kind = "tablelink"
port = "{port}"
antennas = {{ 1 = "seat 1", 2 = "seat 2", 3 = "board", 4 = "burn" }}
[[device]]
name = "keys-1"
kind = "tablelink"
port = "/dev/shoe-bridge/keys-1"
keys = {{ {keys} }}
"""
ALL_KEYS = ("shuffle", "cut", "end deal", "end bet", "showdown", "push", "next hand", "corrected")


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def config_text(port: str = "/dev/shoe-bridge/reader-1", keys: tuple[str, ...] = ALL_KEYS) -> str:
    listed = ", ".join(f'{number} = "{key}"' for number, key in enumerate(keys, start=1))
    return PLAIN.format(port=port, keys=listed)


def run_for(text: str, error: str | None = None) -> SimRun:
    return SimRun(parse(text, Path("table.toml")), 7, error, None, None, lambda report: None)


# -- ports


def test_links_stand_while_the_simulation_lives(tmp_path: Path) -> None:
    path = tmp_path / "dev" / "deep" / "reader-1"
    with SimPorts({"reader-1": path}) as ports:
        ports.link()
        assert os.readlink(path) == str(ports.folder / "reader-1")
        folder = ports.folder
    assert not path.is_symlink()
    assert not folder.exists()


def test_a_link_that_a_killed_simulation_left_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "reader-1"
    dead = SimPorts({"reader-1": path})
    dead.__enter__()
    dead.link()
    os.close(dead._lock)  # as when its process was killed
    with SimPorts({"reader-1": path}) as ports:
        ports.link()
        assert path.is_symlink()
        assert not dead.folder.exists()
    assert not path.is_symlink()


def test_a_link_whose_folder_is_gone_is_replaced(tmp_path: Path, own_temporary_folder: Path) -> None:
    path = tmp_path / "reader-1"
    path.symlink_to(own_temporary_folder / "shoe-bridge-sim-gone" / "reader-1")
    with SimPorts({"reader-1": path}) as ports:
        ports.link()
        assert ports.folder.name in os.readlink(path)


def test_a_running_simulation_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "reader-1"
    with SimPorts({"reader-1": path}) as first:
        first.link()
        with SimPorts({"reader-1": path}) as second, pytest.raises(UsageError, match="stop that one first"):
            second.link()
        assert os.readlink(path) == str(first.folder / "reader-1")


@pytest.mark.parametrize("kind", ["file", "folder", "link to a device", "dead link of somebody"])
def test_nothing_that_is_not_ours_is_ever_replaced(tmp_path: Path, kind: str) -> None:
    path, free = tmp_path / "reader-1", tmp_path / "keys-1"
    if kind == "file":
        path.write_text("mine")
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/null" if kind == "link to a device" else "/nowhere/tty")
    before = os.lstat(path)
    with SimPorts({"keys-1": free, "reader-1": path}) as ports:
        with pytest.raises(UsageError, match="is not of a simulation"):
            ports.link()
        assert not free.is_symlink()  # all of them, or none
    assert os.lstat(path).st_ino == before.st_ino


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        SimPorts({"reader-1": tmp_path / "file" / "reader-1"}) as ports,
        pytest.raises(UsageError, match="that you may write"),
    ):
        ports.link()


def test_the_lock_is_held_for_the_life_of_the_simulation(tmp_path: Path) -> None:
    with SimPorts({}) as ports:
        lock = os.open(ports.folder / ".lock", os.O_RDWR)
        with pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(lock)


def test_devices_and_lights_with_a_port_are_simulated(tmp_path: Path) -> None:
    config = write_table(DemoPlan(1), tmp_path, tmp_path / "dev", has_console=True)
    assert list(port_paths(config)) == ["reader-1", "keys-1", "relay", "tower"]


def test_a_network_port_cannot_be_simulated() -> None:
    config = parse(config_text(port="socket://10.0.0.7:4001"), Path("table.toml"))
    with pytest.raises(UsageError, match=r"reader-1 is at socket://10\.0\.0\.7:4001"):
        port_paths(config)


LIGHT = '[[light]]\nname = "dealer"\nkind = "blink1"\nport = "usb:27b8:01ed"\n'


def test_a_light_on_usb_is_left_to_the_real_one_and_told_of(tmp_path: Path) -> None:
    config = parse(config_text() + LIGHT, Path("table.toml"))
    assert list(port_paths(config)) == ["reader-1", "keys-1"]
    said: list[dict[str, object]] = []
    run = SimRun(config, 7, None, None, None, said.append)
    assert [device.name for device in run._heard] == ["reader-1", "keys-1"]
    with SimPorts({}) as ports:
        run._tell_ports(ports, tmp_path / "table.toml")
    notes = [line["text"] for line in said if line["type"] == "note"]
    assert notes[1:] == ["dealer at usb:27b8:01ed is not simulated: plug the real light in, or do without it"]


def test_a_keypad_at_a_path_is_simulated_and_presses_the_keys_of_the_dealer() -> None:
    names = ("F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8")
    keys = ", ".join(f'{name} = "{key}"' for name, key in zip(names, ALL_KEYS, strict=True))
    text = config_text(keys=()).replace("keys = {  }", f"keys = {{ {keys} }}")
    pad = text.replace('"keys-1"\nkind = "tablelink"', '"keys-1"\nkind = "hid_keyboard"')
    run = run_for(pad)
    device = run._stage.table.device("keys-1")
    run._stage.table.press("cut")
    assert isinstance(device, HidKeypadDevice)
    assert device.held == (0x3B,)


# -- the deck


def test_cards_carry_the_tags_of_the_register(tmp_path: Path) -> None:
    real = {f"E00400000000{number:04X}": card for number, card in enumerate(STANDARD_52)}
    save_register(tmp_path / "decks.toml", Register((Deck("blue", real),)))
    world, note = world_for(tmp_path / "decks.toml")
    assert note is None
    simulated = tag_uid(DEFAULT_DECK, "9d")
    world.place(simulated, "seat 1")
    (tag,) = world.tags_at("seat 1")
    assert real[tag] == "9d"
    assert world.where(simulated) == world.where(tag) == "seat 1"
    world.hide(simulated)
    assert world.poll("seat 1") == []
    world.reveal(simulated)
    world.stray(simulated, "seat 2")
    assert [sighting.tag for sighting in world.poll("seat 2")] == [tag]
    world.lift(simulated)
    assert world.tags_at("seat 1") == ()


def test_a_tag_outside_the_register_stays_what_it_is() -> None:
    world = RetaggedWorld({"AA": "BB"})
    world.place("CC", "burn")
    assert world.tags_at("burn") == ("CC",)


def test_a_register_that_is_not_there_is_written_and_told(tmp_path: Path) -> None:
    path = tmp_path / "decks.toml"
    _, note = world_for(path)
    assert load_register(path) == simulated_register()
    assert str(path) in (note or "")


def test_no_register_at_all_is_told() -> None:
    _, note = world_for(None)
    assert "no deck register" in (note or "")


def test_a_deck_that_lacks_cards_is_refused(tmp_path: Path) -> None:
    save_register(tmp_path / "decks.toml", Register((Deck("blue", {"E004000000000001": "As"}),)))
    with pytest.raises(DeckError, match=r"Deck blue of .* lacks 2c, 3c"):
        world_for(tmp_path / "decks.toml")


# -- what is dealt


def test_a_mix_leaves_out_what_the_table_cannot_show() -> None:
    assert set(run_for(config_text())._errors) == {"order_error", "equipment"}


def test_a_slip_that_needs_a_key_says_which() -> None:
    with pytest.raises(UsageError, match="supervisor misdeal"):
        run_for(config_text(), error="count_error")
    with pytest.raises(UsageError, match="push"):
        run_for(config_text(keys=tuple(key for key in ALL_KEYS if key != "push")), error="none")


def test_a_hand_too_many_needs_an_empty_seat() -> None:
    keys = (*ALL_KEYS, "supervisor misdeal")
    with pytest.raises(UsageError, match="extra_hand needs an empty seat"):
        run_for(config_text(keys=keys), error="extra_hand")


def test_all_slips_can_be_dealt_at_the_demo_table(tmp_path: Path) -> None:
    config = write_table(DemoPlan(1), tmp_path, tmp_path / "dev")
    run = SimRun(config, 1, None, None, None, lambda report: None)
    assert sorted(run._errors) == sorted(ERROR_KINDS)


def test_an_unknown_slip_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.toml"
    path.write_text(config_text())
    assert run_command(["sim", "--config", str(path), "--error", "bad_luck"]) == 2
    assert "order_error" in capsys.readouterr().err
    assert run_command(["sim", "--config", str(tmp_path / "none.toml")]) == 2
    assert "does not exist" in capsys.readouterr().err


def test_a_device_knows_when_the_bridge_has_spoken() -> None:
    tower = TowerLight("tower")
    heard = HeardDevice(tower)
    heard.take(b"", 1)
    assert not heard.has_heard
    heard.take(b"\x14", 2)
    assert heard.has_heard
    assert tower.shown["green"] == "on"
    assert heard.advance(3) == b""
    assert heard.next_due_ms() is None
    heard.unplug()
    assert not tower.is_plugged
    heard.replug()
    assert heard.is_plugged
    heard.is_plugged = False
    assert not tower.is_plugged


def pn532_text(decks: str) -> str:
    """A table whose readers know tags of ISO 14443 A only."""
    reader = config_text().replace("seats = 2\n", f'seats = 2\ndecks = "{decks}"\n')
    head, _, keys = reader.partition("[[device]]\n")
    _, _, keys = keys.partition("[[device]]\n")
    boxes = [
        f'[[device]]\nname = "reader-{n}"\nkind = "pn532"\nport = "/dev/shoe-bridge/reader-{n}"\n'
        f'antennas = {{ 1 = "{place}" }}\n'
        for n, place in enumerate(("seat 1", "seat 2", "board", "burn"), start=1)
    ]
    return f"{head}{''.join(boxes)}[[device]]\n{keys}"


def test_a_deck_is_made_with_tags_that_the_readers_can_read(tmp_path: Path) -> None:
    run_for(pn532_text(str(tmp_path / "decks.toml")))
    (deck,) = load_register(tmp_path / "decks.toml").decks
    assert {len(tag) for tag in deck.tags} == {14}
    run_for(pn532_text(str(tmp_path / "decks.toml")))  # and is dealt again


def test_a_deck_that_a_reader_cannot_read_is_refused(tmp_path: Path) -> None:
    save_register(tmp_path / "decks.toml", simulated_register())
    with pytest.raises(DeckError, match="reader-1 is a pn532, which cannot read tags of 8 bytes such as E0"):
        run_for(pn532_text(str(tmp_path / "decks.toml")))


def readers_text(decks: str, kind: str, more: str = "", antennas: int = 4) -> str:
    """A table whose places are read by devices of `kind` with so many antennas each."""
    head, _, keys = (
        config_text().replace("seats = 2\n", f'seats = 2\ndecks = "{decks}"\n').partition("[[device]]\n")
    )
    _, _, keys = keys.partition("[[device]]\n")
    places = ("seat 1", "seat 2", "board", "burn")
    boxes = ""
    for at in range(0, 4, antennas):
        here = ", ".join(f'{n} = "{place}"' for n, place in enumerate(places[at : at + antennas], start=1))
        boxes += f'[[device]]\nname = "reader-{at}"\nkind = "{kind}"\nport = "/dev/shoe-bridge/reader-{at}"\n'
        boxes += f"antennas = {{ {here} }}\n{more}\n"
    return f"{head}{boxes}[[device]]\n{keys}"


def hears(run: SimRun) -> list[str]:
    """What the bridge makes of the first card at each place, read from the bytes of the simulated devices."""
    table = run._stage.table
    links = {
        link.name: DeviceLink(link, Presence(), lambda tag: True) for link in links_of(run._config.devices)
    }
    for name, link in links.items():
        link.opened(0, 1)
        link.tick(600_000_000)
        table.devices[name].advance(600)
    seen: list[str] = []
    for number, place in enumerate(("seat 1", "seat 2", "board", "burn")):
        table.world.place(run._stage._decks.tags_in_use()[number], place)
        ms = 2_000 + 1_000 * number
        for name, link in links.items():
            said = link.take(table.devices[name].advance(ms), ms * 1_000_000)
            seen += [one.place for one in said if isinstance(one, CardArrived)]
    return seen


@pytest.mark.parametrize("antennas", [1, 4])
@pytest.mark.parametrize("preset", list(PRESETS))
def test_every_preset_is_simulated_with_a_deck_that_it_can_print(
    tmp_path: Path, preset: str, antennas: int
) -> None:
    text = readers_text(str(tmp_path / "decks.toml"), "text_line", f'preset = "{preset}"', antennas)
    if antennas > 1 and not names_antenna(preset):
        with pytest.raises(ConfigError, match="expected a single antenna"):
            run_for(text)
        return
    assert hears(run_for(text)) == ["seat 1", "seat 2", "board", "burn"]
    (deck,) = load_register(tmp_path / "decks.toml").decks
    assert set(deck.tags.values()) == set(STANDARD_52)


def test_a_deck_that_a_preset_cannot_print_is_refused_before_the_start(tmp_path: Path) -> None:
    save_register(tmp_path / "decks.toml", simulated_register())
    text = readers_text(str(tmp_path / "decks.toml"), "text_line", 'preset = "panstenos"', 1)
    with pytest.raises(DeckError, match="reader-0 is a text_line, which cannot read tags of 8 bytes"):
        run_for(text)


@pytest.mark.parametrize(("kind", "antennas"), [("yrm100", 1), ("r2000", 4)])
def test_a_deck_for_uhf_readers_is_of_epcs(tmp_path: Path, kind: str, antennas: int) -> None:
    file = tmp_path / "table.toml"
    file.write_text(readers_text(str(tmp_path / "decks.toml"), kind, "", antennas))
    run_for(file.read_text())
    (deck,) = load_register(tmp_path / "decks.toml").decks
    assert {len(tag) // 2 for tag in deck.tags} == {12}
    assert len(deck.tags) == 52
    assert run_command(["run", "--check", "--config", str(file)]) == 0


def test_a_reader_that_types_by_no_rule_cannot_be_simulated() -> None:
    wedge = '[[device]]\nname = "wedge-1"\nkind = "hid_keyboard"\nport = "/dev/wedge"\n'
    wedge += 'antennas = { 1 = "muck" }\n'
    with pytest.raises(UsageError, match="wedge-1 has no rule by which it types tags"):
        run_for(config_text() + wedge)
    run_for(config_text() + wedge + 'typed = "hex"\n')


@pytest.mark.parametrize("technology", TECHNOLOGIES)
def test_each_technology_has_52_tags_that_a_register_takes(technology: Technology) -> None:
    tags = deck_tags(DEFAULT_DECK, technology)
    assert len(set(tags)) == 52
    assert [tag_fault(tag) for tag in tags] == [None] * 52


@pytest.mark.parametrize(("rule", "size"), [("hex reversed", 8), ("decimal last 4", 4)])
def test_a_deck_is_made_with_tags_that_a_typing_reader_names_whole(
    tmp_path: Path, rule: str, size: int
) -> None:
    text = readers_text(str(tmp_path / "decks.toml"), "tablelink")
    wedge = '[[device]]\nname = "wedge-1"\nkind = "hid_keyboard"\nport = "/dev/wedge"\n'
    wedge += f'antennas = {{ 1 = "muck" }}\ntyped = "{rule}"\n'
    run_for(text + wedge)
    (deck,) = load_register(tmp_path / "decks.toml").decks
    assert {len(tag) // 2 for tag in deck.tags} == {size}
    if size != 8:
        save_register(tmp_path / "decks.toml", simulated_register())
        with pytest.raises(DeckError, match="wedge-1 is a hid_keyboard, which with typed"):
            run_for(text + wedge)
