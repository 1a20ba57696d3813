"""The spec pages say what the code does: sizes, closed sets and every printed frame."""

import re
from importlib.resources import files

import pytest

from protocol import pepper_layout, tablelink_layout
from protocol.codec import CODECS
from protocol.tablelink_layout import EVENT_TYPES, HOST_TYPES, LOWERED, REPORT_TYPES
from shoe_bridge.link.decoder import DecodedFrame, Decoder

PAGES = {kind: (files("protocol") / "spec" / f"{kind}.md").read_text(encoding="utf-8") for kind in CODECS}
TYPES = {**EVENT_TYPES, **REPORT_TYPES, **HOST_TYPES}
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGES["tablelink"].splitlines()]
WORKED = [(row[0], row[1].strip("`")) for row in ROWS if len(row) == 2 and row[1].startswith("`7E ")]


def sizes_of(name: str) -> set[int]:
    layout = {"KEY_DOWN": "key", "KEY_UP": "key", "CARD_DRAWN": "card_drawn"}.get(name, name.lower())
    layout = "tag" if name in ("TAG_SEEN", "TAG_GONE", "TAG_STILL") else layout
    return {lowered.size for key, lowered in LOWERED.items() if key.partition("/")[0] == layout}


@pytest.mark.parametrize("name", TYPES)
def test_the_type_table_has_its_number_and_its_sizes(name: str) -> None:
    (row,) = [row for row in ROWS if len(row) == 5 and row[1] == name]
    assert int(row[0], 16) == TYPES[name]
    sizes = row[2] if name in HOST_TYPES else row[3]
    assert {int(size) for size in sizes.split(", ")} == sizes_of(name)
    if name not in HOST_TYPES:
        assert row[2] == ("event" if name in EVENT_TYPES else "report")


@pytest.mark.parametrize(("title", "frame"), WORKED, ids=[title for title, _ in WORKED])
def test_each_worked_frame_is_the_type_that_it_is_called(title: str, frame: str) -> None:
    stream = bytes.fromhex(frame)
    (result,) = Decoder(CODECS["tablelink"]).feed(stream)
    assert isinstance(result, DecodedFrame)
    name = re.split(r"[ ,]", title)[0]
    assert stream[2] & 0x7F == TYPES[name]
    if result.stamp is not None:
        assert result.stamp.is_replay is ("replayed" in title)


def test_every_type_has_a_worked_frame() -> None:
    assert {re.split(r"[ ,]", title)[0] for title, _ in WORKED} == set(TYPES)


def test_the_words_and_faults_of_the_pad_and_the_device_are_on_the_page() -> None:
    page = PAGES["tablelink"]
    for number, word in enumerate(tablelink_layout.ENTRY_WORDS):
        assert f"{number:X} {word}" in page
    for number, text in tablelink_layout.FAULTS.items():
        assert f"{number:02X}nn {text.replace('{}', 'nn').replace(', cause', ' with cause')}" in page
    for status, text in tablelink_layout.REFUSALS.items():
        assert f"{status} {text}" in page


def test_the_memory_table_adds_up() -> None:
    rows = [row for row in ROWS if len(row) == 3 and row[2].isdigit()]
    total = next(int(row[2]) for row in rows if row[0] == "sum")
    assert sum(int(row[2]) for row in rows if row[0] != "sum") == total < 2048
    assert max(sizes_of("TAG_SEEN")) == 20


@pytest.mark.parametrize("name", pepper_layout.HOST)
def test_each_command_that_the_bridge_can_send_to_a_pepper_is_on_its_page(name: str) -> None:
    base, sub = pepper_layout.SUB_COMMANDS.get(name, (name, None))
    number = f"{pepper_layout.NUMBERS[base]:02X}" + ("" if sub is None else f" {sub:02X}")
    assert f"| {number} | {name} |" in PAGES["pepper_c1"]
