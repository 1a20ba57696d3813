"""The deck of a simulated table: the tags of its own register, dealt by a dealer who knows only cards."""

from collections.abc import Mapping
from pathlib import Path

from shoe_bridge.cli.demo_table import simulated_register
from shoe_bridge.errors import DeckError
from shoe_bridge.runtime.decks import load_register, missing_cards, save_register
from shoe_bridge.sim.tags import DEFAULT_DECK, STANDARD_52, tag_uid
from shoe_bridge.sim.world import World


class RetaggedWorld(World):
    """A world in which each simulated tag is replaced by the one that the register has for its card."""

    def __init__(self, real_of: Mapping[str, str]) -> None:
        super().__init__()
        self._real_of = real_of

    def _real(self, tag: str) -> str:
        return self._real_of.get(tag, tag)

    def place(self, tag: str, place: str) -> None:
        super().place(self._real(tag), place)

    def lift(self, tag: str) -> None:
        super().lift(self._real(tag))

    def where(self, tag: str) -> str | None:
        return super().where(self._real(tag))

    def hide(self, tag: str) -> None:
        super().hide(self._real(tag))

    def reveal(self, tag: str) -> None:
        super().reveal(self._real(tag))

    def stray(self, tag: str, place: str, polls: int = 1) -> None:
        super().stray(self._real(tag), place, polls)


def world_for(decks: Path | None) -> tuple[World, str | None]:
    """The world whose cards carry the tags of the register at `decks`, and a sentence about it, if any.

    A register that does not exist is written. DeckError when the deck in use lacks a card.
    """
    if decks is None:
        return (
            World(),
            "no deck register is configured: the bridge will follow tags without knowing their cards",
        )
    if not decks.exists():
        save_register(decks, simulated_register())
        return World(), f"the deck register {decks} did not exist and was written: 52 simulated tags"
    register = load_register(decks)
    if not register.decks:
        raise DeckError(f"The deck register {decks} holds no deck: register one, or name a file to be made.")
    deck = register.decks[0]
    missing = missing_cards(deck)
    if missing:
        raise DeckError(
            f"Deck {deck.id} of {decks} lacks {', '.join(missing)}: register the rest of it first."
        )
    tag_of_card: dict[str, str] = {}
    for tag, card in deck.tags.items():
        tag_of_card.setdefault(card, tag)
    return RetaggedWorld({tag_uid(DEFAULT_DECK, card): tag_of_card[card] for card in STANDARD_52}), None
