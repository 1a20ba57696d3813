"""What a report descriptor says, and how many bytes a read must ask for."""

import pytest
from usbip.classes.device import hid

from shoe_bridge.adapters.usb_hid import Reports, described, no_keyboard, transfer_bytes

KEYBOARD, MOUSE = (1, 6), (1, 2)
WITH_ID = bytes.fromhex("0501 0906 A101 8502 0507 7501 9508 8102 7508 9507 8100 C0")
TWO = WITH_ID + bytes.fromhex("0501 0902 A101 8503 A4 7508 9514 8102 B4 C0")


@pytest.mark.parametrize(
    ("descriptor", "longest", "applications"),
    [
        (hid.keyboard_report_descriptor(), 8, {KEYBOARD}),
        (hid.mouse_report_descriptor(), 4, {MOUSE}),
        (hid.vendor_report_descriptor(8, 64), 8, {(0xFF00, 1)}),
        (WITH_ID, 9, {KEYBOARD}),
        (TWO, 21, {KEYBOARD, MOUSE}),
        (bytes.fromhex("0B 06000100 A101 7508 9510 8102 C0"), 16, {KEYBOARD}),  # page and usage in one item
        (bytes.fromhex("FE 03 10 AABBCC") + hid.mouse_report_descriptor(), 4, {MOUSE}),  # a long item
        (b"", 0, set()),
    ],
)
def test_the_longest_report_and_what_it_is(
    descriptor: bytes, longest: int, applications: set[tuple[int, int]]
) -> None:
    assert described(descriptor) == Reports(longest, frozenset(applications))


def test_a_descriptor_that_is_cut_off_or_noise_is_read_as_far_as_it_goes() -> None:
    for end in range(len(TWO)):
        assert described(TWO[:end]).longest <= 21
    assert described(bytes(range(256)) * 4).longest <= 1024


@pytest.mark.parametrize(
    ("applications", "what"),
    [({MOUSE}, "a mouse"), ({(1, 5)}, "a game pad"), ({KEYBOARD, MOUSE}, None), ({(0xFF00, 1)}, None)],
)
def test_what_types_nothing_is_named(applications: set[tuple[int, int]], what: str | None) -> None:
    assert no_keyboard(Reports(8, frozenset(applications))) == what


@pytest.mark.parametrize(
    ("longest", "packet", "wanted"),
    [(8, 8, 8), (16, 8, 16), (64, 64, 64), (0, 8, 8), (9, 8, 144), (8, 64, 192)],
)
def test_a_read_ends_with_the_report(longest: int, packet: int, wanted: int) -> None:
    assert transfer_bytes(longest, packet) == wanted
