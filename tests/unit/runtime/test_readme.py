"""The configurations in the README are those that `run --check` takes."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from protocol.codec import Codec
from protocol.messages import TagSeen
from protocol.text_presets import PRESETS
from shoe_bridge.cli import run_command
from shoe_bridge.cli.deck import deck_app
from shoe_bridge.cli.demo_table import simulated_register
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.line_codecs import line_codec
from shoe_bridge.runtime.decks import save_register
from shoe_bridge.sim.tags import ISO14443A
from shoe_bridge.sim.toml_text import as_toml

ROOT = Path(__file__).parents[3]
TOML_BLOCK = re.compile(r"^ *```toml\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
README = (ROOT / "README.md").read_text()
BLOCKS = TOML_BLOCK.findall(README)
TABLES = TOML_BLOCK.findall((ROOT / "shoe_bridge/runtime/tables.md").read_text())
ORDER = ("table", "device", "light", "feed")


def whole(block: str) -> dict[str, Any]:
    """The table that an example belongs to. Where it shows readers only, the first example has them in place
    of its own devices and as many seats as they serve; other devices and lights stand beside its own."""
    shown, first = tomllib.loads(block), tomllib.loads(BLOCKS[0])
    config = {section: shown.get(section, first[section]) for section in ORDER}
    places = [place for device in shown.get("device", ()) for place in device.get("antennas", {}).values()]
    if "table" in shown or "device" not in shown:
        return config
    if not places:
        config["device"] = first["device"] + shown["device"]
    else:
        config["table"]["seats"] = sum(place.startswith("seat ") for place in places)
        config["light"] = [{"name": "dealer", "kind": "console"}]
    return config


@pytest.mark.parametrize("block", [*BLOCKS, *TABLES], ids=range(len(BLOCKS) + len(TABLES)))
def test_each_configuration_passes_the_check(
    block: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # step 3 of the first table, with tags that every kind of reader shown knows
    save_register(tmp_path / "decks.toml", simulated_register(technology=ISO14443A))
    file = tmp_path / "table.toml"
    file.write_text(as_toml(whole(block)))
    code = run_command(["run", "--check", "--config", str(file)])
    said = capsys.readouterr()
    assert (code, said.err) == (0, "")
    assert "in order" in said.out


def text_lines() -> list[tuple[dict[str, Any], str]]:
    """Each text_line device of the examples, with the line that its comment says it prints."""
    devices = [
        (device, block)
        for block in BLOCKS
        for device in tomllib.loads(block).get("device", ())
        if device["kind"] == "text_line"
    ]
    lines = [re.findall(r"^(?:preset|patterns) = .*?# (.*)$", block, re.MULTILINE) for _, block in devices]
    return [(device, lines[at][at]) for at, (device, _) in enumerate(devices)]


def codec(device: dict[str, Any]) -> Codec:
    return line_codec("text_line", preset=device.get("preset"), patterns=tuple(device.get("patterns", ())))


def test_there_is_an_example_of_a_preset_and_one_of_a_pattern() -> None:
    kinds = [("preset" in device, "patterns" in device) for device, _ in text_lines()]
    assert kinds == [(True, False), (False, True)]


@pytest.mark.parametrize(("device", "line"), text_lines(), ids=lambda one: "")
def test_the_line_beside_a_reader_names_a_tag_at_one_of_its_antennas(
    device: dict[str, Any], line: str
) -> None:
    (frame,) = Decoder(codec(device)).feed(f"{line}\n".encode())
    assert isinstance(frame, DecodedFrame)
    (seen,) = frame.messages
    assert isinstance(seen, TagSeen)
    assert str(seen.antenna) in device["antennas"]


def test_all_presets_are_named() -> None:
    (line,) = re.findall(r"Presets: (.*?) \(", README)
    assert re.findall(r"`(\w+)`", line) == list(PRESETS)


def test_the_tables_beside_the_readme_are_whole_and_show_what_it_does_not() -> None:
    assert "(shoe_bridge/runtime/tables.md)" in README
    shown = [tomllib.loads(block) for block in TABLES]
    assert all({"table", "device", "light"} <= set(table) for table in shown)
    kinds = {device["kind"] for table in shown for device in table["device"]}
    assert kinds >= {"bee_tek", "feig_obid", "pn532", "patlite_ne"}


@pytest.mark.parametrize("verb", ["register", "check", "list", "proof"])
def test_every_option_of_deck_is_named(verb: str) -> None:
    """But for those that say how long to wait and how to print."""
    command = get_command(deck_app)
    assert isinstance(command, TyperGroup)
    options = {word for one in command.commands[verb].params for word in one.opts if word.startswith("--")}
    named = set(re.findall(r"--[a-z]+(?:-[a-z]+)*", README))
    assert options - {"--wait-s", "--json"} <= named


@pytest.mark.parametrize(
    "key", ["repeats", "hold_ms", "heartbeat_s", "chatter", "preset", "patterns", "identity"]
)
def test_what_a_device_may_be_told_is_named(key: str) -> None:
    assert f"`{key}`" in README or f"{key} = " in README
