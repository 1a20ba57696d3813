"""Pseudonyms: for each tag another one of the same length, for each card another card, in the order of their
first appearance. The same one always gets the same pseudonym; a number tells nothing but that order."""

import re
from collections.abc import Iterator
from functools import reduce
from operator import xor

import msgspec

from protocol.messages import CardDrawn, Message, TagGone, TagSeen, TypedLine
from shoe_bridge.cli.capture_masks import SHORTEST_TAG, spelt_bytes
from shoe_bridge.cli.capture_typed import pseudonym
from shoe_bridge.cli.deck_enrol import ORDER

# makers' first bytes, so that a pseudonym looks like a tag of its length
_HEADS = {4: b"\x04", 7: b"\x04", 8: b"\xe0\x04", 10: b"\x04", 12: b"\xe2\x00"}
_SEPARATORS = (b"", b" ", b":", b"-")


class Names:
    """`tags`, `cards` and `texts` (what a keyboard-wedge reader typed) map what was met so far to its
    pseudonym."""

    def __init__(self) -> None:
        self.tags: dict[str, str] = {}
        self.cards: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        self._forms: dict[bytes, bytes] = {}
        self._pattern: re.Pattern[bytes] | None = None

    def learn(self, message: Message) -> None:
        """Give pseudonyms to the tag and the card that a message names."""
        if isinstance(message, TagSeen | TagGone | CardDrawn) and message.tag:
            self._learn_tag(message.tag)
        if isinstance(message, CardDrawn) and message.card:
            self.cards.setdefault(message.card, ORDER[len(self.cards) % len(ORDER)])

    def learn_text(self, text: str) -> None:
        """Give a pseudonym to a text that stands for a tag."""
        self.texts.setdefault(text, pseudonym(text, len(self.texts) + 1))

    def renamed(self, message: Message) -> Message:
        """The message with pseudonyms."""
        if isinstance(message, TagSeen | TagGone):
            return msgspec.structs.replace(message, tag=self.tags[message.tag])
        if isinstance(message, CardDrawn):
            tag = self.tags[message.tag] if message.tag else message.tag
            card = self.cards[message.card] if message.card else message.card
            return msgspec.structs.replace(message, tag=tag, card=card)
        if isinstance(message, TypedLine):
            return TypedLine(self.texts.get(message.text, message.text))
        return message

    def is_in(self, data: bytes) -> bool:
        """Whether a known tag stands in the bytes, in any of the forms that devices and people write."""
        if self._pattern is None:
            return False
        return self._pattern.search(data) is not None or any(map(self._has_tag, spelt_bytes(data)))

    def substituted(self, data: bytes) -> bytes:
        """The bytes with every known tag replaced, each in the form in which it stands there."""
        return data if self._pattern is None else self._pattern.sub(self._pseudonym, data)

    def seal(self) -> None:
        """All tags are known now."""
        if self._forms:
            forms = sorted(self._forms, key=len, reverse=True)
            self._pattern = re.compile(b"|".join(map(re.escape, forms)), re.DOTALL)

    def _learn_tag(self, tag: str) -> None:
        if tag in self.tags:
            return
        other_way_round = self.tags.get(bytes.fromhex(tag)[::-1].hex().upper())
        if other_way_round is not None:  # some readers turn a tag round: it stays the same one
            self.tags[tag] = bytes.fromhex(other_way_round)[::-1].hex().upper()
            return
        size = len(tag) // 2
        head = _HEADS.get(size, b"")
        number = len(self.tags) + 1
        pseudonym = head + number.to_bytes(size - len(head), "big")
        self.tags[tag] = pseudonym.hex().upper()
        for form, other in zip(_forms(bytes.fromhex(tag)), _forms(pseudonym), strict=True):
            self._forms.setdefault(form, other)

    def _has_tag(self, spelt: bytes) -> bool:
        """Whether a known tag, either way round, stands in bytes that a text spells."""
        for tag in self.tags:
            one = bytes.fromhex(tag)
            if len(one) >= SHORTEST_TAG and (one in spelt or one[::-1] in spelt):
                return True
        return False

    def _pseudonym(self, found: re.Match[bytes]) -> bytes:
        return self._forms[found[0]]


def _forms(tag: bytes) -> Iterator[bytes]:
    """How devices write a tag: as bytes either way round, in hex, in decimal, with its check byte or not."""
    checked = tag + bytes([reduce(xor, tag)])
    yield tag
    yield tag[::-1]
    for plain in (checked, checked[::-1], tag, tag[::-1]):
        for separator in _SEPARATORS:
            text = separator.join(b"%02X" % byte for byte in plain)
            yield text
            yield text.lower()
        yield b"-".join(b"%d" % byte for byte in plain)
        yield b"%010d" % int.from_bytes(plain, "big")
        yield b"%d" % int.from_bytes(plain, "big")
