"""The spec pages of the devices that print or type lines say what the code does."""

import re
from importlib.resources import files

import pytest

from protocol.codec import CODECS
from protocol.envelopes import HID_KEYBOARD, TEXT_LINE
from protocol.hid_keyboard import LONGEST_TEXT
from protocol.hid_reports import KEYMAP, LAYOUTS, LEAST_WITHOUT_ENTER
from protocol.hid_rule import LEAST_DECIMALS, text_of, typed_rule
from protocol.line_pattern import GROUPS, LONGEST_LINE, LONGEST_PATTERN, MOST_WAYS
from protocol.messages import Failure
from protocol.text_line import decoder_of
from protocol.text_presets import PRESETS
from shoe_bridge.link.decoder import DecodedFrame, Decoder

TEXT, HID = (
    (files("protocol") / "spec" / f"{kind}.md").read_text(encoding="utf-8")
    for kind in ("text_line", "hid_keyboard")
)


def rows_of(page: str, width: int) -> list[list[str]]:
    rows = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in page.splitlines()
        if line.startswith("|")
    ]
    return [row for row in rows if len(row) == width]


EXAMPLES = [
    (line, row[2].split()[0].rstrip(","))
    for row in rows_of(TEXT, 3)
    if row[2].startswith(("TagSeen", "CardDrawn", "HostCommand"))
    for line in re.findall(r"`([^`]+)`", row[1])[:1]
]


@pytest.mark.parametrize(("line", "kind"), EXAMPLES)
def test_each_printed_line_is_the_message_that_the_page_says(line: str, kind: str) -> None:
    (result,) = Decoder(CODECS["text_line"]).feed(line.encode() + b"\r\n")
    assert isinstance(result, DecodedFrame)
    assert [type(message).__name__ for message in result.messages] == [kind]


def test_every_preset_has_its_lines_on_the_page_and_reads_them() -> None:
    assert len(EXAMPLES) == 12
    presets: dict[str, list[str]] = {}
    named = ""
    for row in rows_of(TEXT, 3):
        named = row[0].strip("`") or named
        for line in re.findall(r"`([^`]+)`", row[1])[:1]:
            presets.setdefault(named, []).append(line)
    for preset in PRESETS.keys() - {"auto"}:
        for line in presets[preset]:
            decoded = decoder_of(preset)(TEXT_LINE.name, line.encode())
            assert not isinstance(decoded, Failure)
            assert type(decoded.messages[0]).__name__ != "TypedLine"


def test_every_group_and_bound_is_on_the_page() -> None:
    for group in GROUPS:
        assert f"`{group}`" in TEXT
    assert f"0 to {LONGEST_LINE} | text" in TEXT
    assert f"at most {LONGEST_PATTERN} characters" in TEXT
    assert f"at most {MOST_WAYS:,} with" in TEXT
    assert f"{TEXT_LINE.idle_gap_ms} ms of quiet" in TEXT
    assert TEXT_LINE.longest == 2 * LONGEST_LINE


RULES = [row for row in rows_of(HID, 3) if row[0].strip("`").startswith(("hex", "decimal"))]


@pytest.mark.parametrize("row", RULES, ids=lambda row: row[0])
def test_each_rule_types_what_the_page_says(row: list[str]) -> None:
    rule, _, text = (cell.strip("`") for cell in row)
    assert text_of("040E3BD2", typed_rule(rule)) == text


def test_the_layouts_and_bounds_of_typed_lines_are_on_the_page() -> None:
    assert len(RULES) == 6
    sizes = {row[0].strip("`"): int(row[1]) for row in rows_of(HID, 3) if row[1].isdigit()}
    assert sizes == {name: layout.size for name, layout in LAYOUTS.items()}
    assert set(HID_KEYBOARD.layouts) == set(LAYOUTS)
    assert f"At most {LONGEST_TEXT} characters" in HID
    assert f"{HID_KEYBOARD.idle_gap_ms} ms of quiet" in HID
    assert f"at least {LEAST_WITHOUT_ENTER} characters" in HID
    assert f"fewer than {LEAST_DECIMALS} digits" in HID
    for first, last in ((0x04, 0x1D), (0x2C, 0x31), (0x33, 0x38), (0x54, 0x57), (0x59, 0x63)):
        assert all(usage in KEYMAP for usage in range(first, last + 1))
        assert f"{first:02X} to {last:02X}" in HID
