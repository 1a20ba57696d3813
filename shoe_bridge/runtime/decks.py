"""The deck register on disk: one TOML file, `[[deck]]` with `id` and `tags = { TAG = "As", ... }`.

The first deck is the one in use. The file is written whole beside the old one and put in its place, so that a
power cut leaves the old register or the new one, never half of one.
"""

import contextlib
import os
from pathlib import Path

import msgspec

from protocol.tag_reach import EPC_SIZES
from protocol.tag_text import TAG_SIZES
from shoe_bridge.errors import ConfigError, DeckError
from shoe_bridge.plain_file import write_fault
from shoe_bridge.table.cards import JOKER, STANDARD_52
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.toml_file import REGISTER, fit, read_document, read_text, refuse_foreign

TAG_BYTES = frozenset((*TAG_SIZES, *EPC_SIZES))
_EXAMPLES = {"id": 'such as id = "blue"', "tags": "a section [deck.tags]"}
_TAG_DIGITS = set("0123456789ABCDEF")


class _File(msgspec.Struct, forbid_unknown_fields=True):
    deck: tuple[Deck, ...] = ()


def load_register(path: Path) -> Register:
    """The register in `path`. DeckError (one sentence) when it is missing, torn or contradicts itself."""
    try:
        text = read_text(path, "deck register", "make it with `shoe-bridge deck register`")
    except ConfigError as error:
        raise DeckError(str(error)) from None
    if not text.strip():
        raise DeckError(
            f"The deck register {path} is empty: restore it from a copy or register the deck again."
        )
    register = Register(_read(text, path).deck)
    problems = [*_tag_problems(register), *register.problems()]
    if problems:
        raise DeckError(f"The deck register {path} contradicts itself: {problems[0]}; correct that line.")
    return register


def _read(text: str, path: Path) -> _File:
    try:
        document = read_document(text, path, "a [[deck]]")
        refuse_foreign(document, path, REGISTER)
    except ConfigError as error:
        raise DeckError(str(error)) from None
    try:
        return fit(document, _File, text, path, _EXAMPLES)
    except ConfigError as error:
        said = str(error).rstrip(".")
        raise DeckError(f"{said}; correct that line, or restore the deck register from a copy.") from None


def save_register(path: Path, register: Register) -> None:
    """Replace the register in `path`. DeckError when it cannot be written; the old one is then untouched, and
    nothing is left beside it."""
    lines = [_deck_text(deck) for deck in register.decks]
    beside = path.with_name(path.name + ".new")
    try:
        with beside.open("w", encoding="utf-8") as file:
            file.write("\n".join(lines))
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise DeckError(f"The deck register {path} cannot be written {write_fault(error)}.") from None


def tag_fault(tag: str) -> str | None:
    """Why a tag cannot stand for a card, as a phrase; None when it can."""
    if not tag or set(tag) - _TAG_DIGITS:
        return "it is not upper-case hex"
    if len(tag) % 2 or len(tag) // 2 not in TAG_BYTES:
        count, unit = (len(tag) // 2, "byte") if len(tag) % 2 == 0 else (len(tag), "hex digit")
        size = f"{count} {unit}" if count == 1 else f"{count} {unit}s"
        return f"it has {size}, and a tag has 4, 7, 8 or 10 bytes, an EPC 2 to 62 in pairs"
    if len(tag) == 8 and tag.startswith("08"):
        return "it is a random id that the chip makes anew each time, so it can stand for no card"
    return None


def missing_cards(deck: Deck) -> list[str]:
    """The cards of a standard deck that have no tag."""
    have = set(deck.tags.values())
    return [card for card in STANDARD_52 if card not in have]


def _deck_text(deck: Deck) -> str:
    order = {card: place for place, card in enumerate((*STANDARD_52, JOKER))}
    tags = sorted(deck.tags.items(), key=lambda item: (order.get(item[1], len(order)), item[0]))
    rows = [f'"{tag}" = "{card}"' for tag, card in tags]
    return "\n".join(["[[deck]]", f'id = "{deck.id}"', "[deck.tags]", *rows, ""])


def _tag_problems(register: Register) -> list[str]:
    return [
        f"deck {deck.id}: {tag!r} is no tag of a card ({fault})"
        for deck in register.decks
        for tag in deck.tags
        if (fault := tag_fault(tag)) is not None
    ]
