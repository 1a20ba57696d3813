"""Pseudonyms for what a keyboard-wedge reader types: other digits in the same places, on keys that go down
and up when those did, so that a rollover or a lost release stays to be seen."""

from collections.abc import Iterator

from protocol.envelopes import HID_KEYBOARD
from protocol.hid_reports import LAYOUTS, retyped, typed

KIND = HID_KEYBOARD.name
# neighbours are never the same digit, which would need a release between them that may not be there
_EVEN, _ODD = "02468", "13579"


def pseudonym(text: str, number: int) -> str:
    """Digits for the letters and digits of the `number`-th text, the same for no two of them; punctuation
    stays, as it is the reader's and not the tag's."""
    out = []
    for place, character in enumerate(reversed(text)):
        if not character.isalnum():
            out.append(character)
            continue
        number, digit = divmod(number, len(_EVEN))
        out.append((_ODD if place % 2 else _EVEN)[digit])
    return "".join(reversed(out))


def retypings(reports: bytes, text: str, other: str) -> Iterator[bytes]:
    """The reports that typed `text`, typing `other` instead, for each layout that they may be of."""
    for name in HID_KEYBOARD.layouts:
        found = typed(LAYOUTS[name], reports)
        if found is not None and found.text == text:
            renamed = retyped(LAYOUTS[name], reports, other)
            if renamed is not None:
                yield renamed
