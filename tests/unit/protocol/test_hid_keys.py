"""Reports of keypads: which keys are down, by number and by name, and what is no report of one."""

import re
from importlib.resources import files

import msgspec
import pytest

from protocol.hid_keys import (
    FIRST_KEY,
    IDLE_GAP_MS,
    LAST_KEY,
    NAME,
    NAMES,
    decoder_of,
    encode_command,
    encode_keys,
    envelopes_of,
    name_of,
    usage_of,
)
from protocol.hid_reports import LAYOUTS
from protocol.messages import Decoded, Failure, HostCommand, KeysDown, Reason
from protocol.vectors import Vector, vectors_of
from shoe_bridge.link.decoder import Decoder, pending_line, result_lines
from shoe_bridge.link.keypad_session import WAS_DOWN_NS
from shoe_bridge.link.line_codecs import keypad_codec

VECTORS = vectors_of(NAME)
PAGE = (files("protocol") / "spec" / "hid_keyboard.md").read_text(encoding="utf-8")
F1, F2 = 0x3A, 0x3B


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_decodes_as_documented(vector: Vector) -> None:
    decoder = Decoder(keypad_codec(None))
    lines = result_lines([*decoder.feed(vector.stream), *decoder.finish()])
    lines += [pending_line(decoder.pending)] * (decoder.pending > 0)
    # through JSON, because a message holds tuples where the line holds lists
    assert msgspec.json.decode(msgspec.json.encode(lines)) == vector.expect


def test_there_are_enough_vectors_and_a_third_are_negative() -> None:
    assert len(VECTORS) >= 28
    assert 3 * sum(vector.is_negative for vector in VECTORS) >= len(VECTORS)
    assert len({vector.name for vector in VECTORS}) == len(VECTORS)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("keys", [(), (F1,), (0x04,), (LAST_KEY,)])
def test_each_layout_says_which_keys_are_down(layout: str, keys: tuple[int, ...]) -> None:
    report = encode_keys(keys, layout, modifiers=0x11)
    assert len(report) == LAYOUTS[layout].size
    assert decoder_of(layout)(NAME, report) == Decoded((KeysDown(keys),))


def test_more_keys_than_there_are_places_are_none_that_is_known() -> None:
    assert decoder_of("short")(NAME, encode_keys((F1, F2), "short")) == Decoded((KeysDown(None),))
    seven = tuple(range(F1, F1 + 7))
    assert decoder_of()(NAME, encode_keys(seven)) == Decoded((KeysDown(None),))
    assert decoder_of()(NAME, encode_keys(seven[:6])) == Decoded((KeysDown(seven[:6]),))


@pytest.mark.parametrize(
    ("layout", "report", "reason"),
    [
        ("boot", "", Reason.TOO_SHORT),
        ("boot", "00003A00000000", Reason.TOO_SHORT),
        ("boot", "00003A000000000000", Reason.TRAILING),
        ("boot", "00FF3A0000000000", Reason.IMPLAUSIBLE),
        ("boot", "0000E80000000000", Reason.IMPLAUSIBLE),
        ("boot with id", "0000003A0000000000", Reason.IMPLAUSIBLE),
        ("boot with id", "1000003A0000000000", Reason.IMPLAUSIBLE),
        ("short", "00013A", Reason.IMPLAUSIBLE),
    ],
)
def test_what_is_no_report(layout: str, report: str, reason: Reason) -> None:
    failure = decoder_of(layout)(NAME, bytes.fromhex(report))
    assert isinstance(failure, Failure)
    assert failure.reason is reason


def test_another_envelope_layout_or_command_is_refused() -> None:
    assert isinstance(decoder_of()("hid_keyboard", bytes(8)), Failure)
    for ask in (envelopes_of, decoder_of, lambda layout: encode_keys((), layout)):
        with pytest.raises(ValueError, match="there is no layout 'long' of reports: use one of boot"):
            ask("long")
    with pytest.raises(ValueError, match="has no command 'get_state'"):
        encode_command(HostCommand("get_state"))


def test_every_key_has_one_name_and_is_found_by_it() -> None:
    for usage in range(FIRST_KEY, LAST_KEY + 1):
        assert usage_of(name_of(usage)) == usage
    assert len(set(NAMES.values())) == len(NAMES)
    # spot checks against the table of hid-input.c, so that no row is shifted
    known = {"A": 0x04, "Z": 0x1D, "1": 0x1E, "0": 0x27, "ENTER": 0x28, "SLASH": 0x38, "F12": 0x45}
    known |= {"UP": 0x52, "NUMLOCK": 0x53, "KPENTER": 0x58, "KP0": 0x62, "KPEQUAL": 0x67, "F24": 0x73}
    assert {name: usage_of(name) for name in known} == known
    assert usage_of("0x3A") == F1
    assert [usage_of(name) for name in ("f1", "F25", "0x03", "0xE0", "0x100", "58", "")] == [None] * 7


def test_the_page_has_every_name_and_bound() -> None:
    section = PAGE[PAGE.index("## Keypads") : PAGE.index("## Versions")]
    words = set(re.findall(r"`(\w+)`", section))
    in_rows = {"A", "Z", "1", "9", "F1", "F12", "KP1", "KP9", "F13", "F24"}
    spelt = {name for name in NAMES.values() if not re.fullmatch(r"[A-Z1-9]|F\d+|KP[1-9]", name)}
    assert (spelt | in_rows) <= words
    assert f"{IDLE_GAP_MS} ms of quiet" in section
    assert f"{FIRST_KEY:02X} to {LAST_KEY:02X} | that key is down" in section
    assert f"within {WAS_DOWN_NS // 1_000_000} ms after the port" in section
