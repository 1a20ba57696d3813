"""The spec pages say what the code does: sizes, closed sets and every printed frame."""

import re
from importlib.resources import files

import pytest

from protocol import (
    angel_eye_layout,
    bee_tek,
    feig_layout,
    pepper_layout,
    pn532_layout,
    r2000_layout,
    tablelink_layout,
    yrm100_layout,
)
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


def _feig_row(first: str, name: str) -> str:
    rows = [line for line in PAGES["feig_obid"].splitlines() if line.startswith(f"| {first} | {name} |")]
    assert len(rows) == 1, (first, name)
    return rows[0]


@pytest.mark.parametrize("name", feig_layout.HOST)
def test_each_request_that_the_bridge_can_send_to_a_feig_reader_is_on_its_page(name: str) -> None:
    if name.startswith("inventory"):
        sub = feig_layout.SUB_NUMBERS["inventory"]
        row = _feig_row(f"{feig_layout.NUMBERS['host_command']:02X} {sub:02X}", "inventory")
        assert "00 new, 80 more" in row
        return
    row = _feig_row(f"{feig_layout.NUMBERS[name]:02X}", name)
    for field in feig_layout.HOST[name].names[2:]:
        assert f"{field} u" in row


@pytest.mark.parametrize("number", feig_layout.TAG_TYPES)
def test_each_tag_type_of_a_feig_reader_is_on_its_page(number: int) -> None:
    assert "uid" in _feig_row(f"{number:02X}", feig_layout.TAG_TYPES[number])


def test_each_status_and_reader_type_of_a_feig_reader_is_on_its_page() -> None:
    page = " ".join(PAGES["feig_obid"].split())
    for status, text in feig_layout.STATUSES.items():
        assert f"{status:02X} {text}" in page or 0x31 <= status <= 0x37
    assert "31 to 37 SAM error" in page
    assert all(str(number) in page for number in (30, 31, 33, 40, 45, 73, 78, 80, 89, 91, 94, 111, 114))
    for envelope in CODECS["feig_obid"].envelopes:
        assert f"{envelope.shortest} to {envelope.longest}" in page


@pytest.mark.parametrize("code", angel_eye_layout.REPORTS)
def test_each_report_of_an_angel_eye_is_on_its_page(code: str) -> None:
    assert f"\n| {code} | " in PAGES["angel_eye"]


def test_the_closed_sets_of_an_angel_eye_are_on_its_page() -> None:
    page = " ".join(PAGES["angel_eye"].split())
    for code, text in angel_eye_layout.ERRORS.items():
        assert f"{code} {text}" in page
    for number, word in angel_eye_layout.OUTSIDE.items():
        assert f"{number} {word}" in page
    for number, word in angel_eye_layout.WINNERS.items():
        assert f"{number} {word}" in page
    for name, (kind, _) in angel_eye_layout.OPERATIONS.items():
        assert re.search(rf"\| {kind} \S+ \| {name}\b", page)
    for envelope in CODECS["angel_eye"].envelopes:
        assert f"Shortest frame {envelope.shortest} bytes" in page
        assert f"that is taken is {envelope.longest}" in page


def test_the_closed_sets_of_a_bee_tek_are_on_its_page() -> None:
    page = " ".join(PAGES["bee_tek"].split())
    assert all(f"`{mode}`" in page for mode in bee_tek.MODES)
    assert {envelope.longest for envelope in CODECS["bee_tek"].envelopes} == {96}
    assert "longest 96" in page


@pytest.mark.parametrize("kind", ["pn532", "yrm100", "r2000"])
def test_each_command_and_number_of_a_reader_that_is_asked_is_on_its_page(kind: str) -> None:
    layout = {"pn532": pn532_layout, "yrm100": yrm100_layout, "r2000": r2000_layout}[kind]
    page, numbers = PAGES[kind], layout.NUMBERS
    for name in layout.HOST:
        item = pn532_layout.RF_ITEMS.get(name) if kind == "pn532" else None
        number = numbers["rf_configuration"] if item is not None else numbers[name.partition("/")[0]]
        wanted = f"{number:02X}" + ("" if item is None else f" {item:02X}")
        assert f"| {wanted} | {name.partition('/')[0]} |" in page
    statuses = {"pn532": "STATUSES", "yrm100": "ERRORS", "r2000": "STATUSES"}[kind]
    for status in getattr(layout, statuses):
        assert re.search(rf"\b{status:02X}\b", page), f"{status:02X}"


def test_the_tag_types_of_the_pn532_are_on_its_page() -> None:
    for sak in pn532_layout.TAG_TYPES:
        assert re.search(rf"\b{sak:02X}\b", PAGES["pn532"])
    for frame in ("00 00 FF 00 FF 00", "00 00 FF FF 00 00", "00 00 FF 01 FF 7F 81 00"):
        (result,) = Decoder(CODECS["pn532"]).feed(bytes.fromhex(frame))
        assert isinstance(result, DecodedFrame)
        assert f"`{frame}`" in PAGES["pn532"]
