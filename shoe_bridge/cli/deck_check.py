"""Holding a pile of tags against a registered deck: which answered, which did not, which do not belong."""

import shlex
from typing import Any

from shoe_bridge.cli.counted import counted
from shoe_bridge.cli.deck_tags import TagRead, shown_tag
from shoe_bridge.errors import DeckError
from shoe_bridge.table.deck import Deck, Register


class DeckCheck:
    """One check of the deck called `name` (None: the first of the register) in the file `source`. `reader`
    are the options that named the reader, for the command that people are told.

    DeckError when the deck is not there.
    """

    def __init__(
        self, register: Register, name: str | None, source: str, reader: tuple[str, ...] = ()
    ) -> None:
        self._command = ("shoe-bridge", "deck", "register", "--file", source)
        self._reader = reader
        self._register = register
        self.deck = _deck_of(register, name, source)
        self._answered: set[str] = set()
        self._foreign: dict[str, str | None] = {}
        self._clones: set[str] = set()
        self._tried: set[str] = set()

    def take(self, read: TagRead) -> bool:
        """Take one tag; whether it says something new."""
        if read.is_clone:
            is_new = read.tag not in self._clones
            self._clones.add(read.tag)
            return is_new
        if read.tag in self._answered or read.tag in self._foreign:
            return False
        if read.tag in self.deck.tags:
            self._answered.add(read.tag)
        else:
            self._foreign[read.tag] = self._register.deck_of(read.tag)
        return True

    def take_any(self, read: TagRead) -> bool:
        """The same for a source that also tells what is taken away, which says nothing here."""
        return not read.is_gone and self.take(read)

    def tried(self, tag: str) -> None:
        """The card of that tag was laid down alone."""
        self._tried.add(tag)

    @property
    def dead(self) -> dict[str, str]:
        """The tags that did not answer alone either, with their cards."""
        return {tag: card for tag, card in self.silent.items() if tag in self._tried}

    def is_complete(self) -> bool:
        return not self.silent

    @property
    def silent(self) -> dict[str, str]:
        """The tags that did not answer, with their cards."""
        return {tag: card for tag, card in self.deck.tags.items() if tag not in self._answered}

    @property
    def is_sound(self) -> bool:
        return not (self.silent or self._foreign or self._clones)

    def line(self) -> dict[str, Any]:
        return {
            "type": "check",
            "deck": self.deck.id,
            "answered": len(self._answered),
            "of": len(self.deck.tags),
            "missing": sorted(set(self.silent.values())),
            "silent_tags": self.silent,
            "dead": sorted(set(self.dead.values())),
            "unknown": [shown_tag(tag) for tag, owner in self._foreign.items() if owner is None],
            "clones": sorted(self._clones),
            "other_decks": {tag: owner for tag, owner in self._foreign.items() if owner is not None},
        }

    def _replace(self, card: str) -> str:
        return shlex.join((*self._command, "--deck", self.deck.id, *self._reader, "--replace", card))

    def text(self) -> str:
        of = counted(len(self.deck.tags), "tag")
        lines = [f"deck {self.deck.id}: {len(self._answered)} of {of} answered"]
        dead = self.dead
        lines += [f"  missing: {card} ({tag})" for tag, card in self.silent.items() if tag not in dead]
        lines += [
            f"  dead: {card} ({tag}), replace it with `{self._replace(card)}`" for tag, card in dead.items()
        ]
        for tag, owner in self._foreign.items():
            lines.append(
                f"  does not belong: {shown_tag(tag)}" + (f", of deck {owner}" if owner else ", in no deck")
            )
        lines += [f"  answers at two antennas at once: {tag}" for tag in sorted(self._clones)]
        if self.silent and not dead:
            lines.append("  (a card may be covered or absent: --alone tells which tags are dead)")
        return "\n".join(lines)


def _deck_of(register: Register, name: str | None, source: str) -> Deck:
    decks = {deck.id: deck for deck in register.decks}
    if not decks:
        raise DeckError(
            f"The deck register {source} holds no deck: make one with `shoe-bridge deck register`."
        )
    if name is None:
        return register.decks[0]
    if name not in decks:
        raise DeckError(f"The deck register {source} has no deck {name}: use one of {', '.join(decks)}.")
    return decks[name]
