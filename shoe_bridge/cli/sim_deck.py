"""The deck of a simulated table: the tags of its own register, dealt by a dealer who knows only cards."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from protocol.tag_reach import can_name
from shoe_bridge.articles import an
from shoe_bridge.cli.demo_table import simulated_register
from shoe_bridge.errors import DeckError, UsageError
from shoe_bridge.runtime.config import DeviceConfig, TableConfig
from shoe_bridge.runtime.decks import load_register, missing_cards, save_register
from shoe_bridge.sim.tags import DEFAULT_DECK, ISO15693, STANDARD_52, Technology, tag_uid
from shoe_bridge.sim.timed_device import ReadingDevice
from shoe_bridge.sim.world import World


class RetaggedWorld(World):
    """A world in which each simulated tag is replaced by the one that the register has for its card."""

    def __init__(self, real_of: Mapping[str, str]) -> None:
        super().__init__()
        self._real_of = real_of

    def real(self, tag: str) -> str:
        """The tag of the register that stands on the table for a simulated one."""
        return self._real_of.get(tag, tag)

    def place(self, tag: str, place: str) -> None:
        super().place(self.real(tag), place)

    def lift(self, tag: str) -> None:
        super().lift(self.real(tag))

    def where(self, tag: str) -> str | None:
        return super().where(self.real(tag))

    def hide(self, tag: str) -> None:
        super().hide(self.real(tag))

    def reveal(self, tag: str) -> None:
        super().reveal(self.real(tag))

    def stray(self, tag: str, place: str, polls: int = 1) -> None:
        super().stray(self.real(tag), place, polls)


def world_for(decks: Path | None, technology: Technology = ISO15693) -> tuple[World, str | None]:
    """The world whose cards carry the tags of the register at `decks`, and a sentence about it, if any. The
    dealer's own tags are of `technology`.

    A register that does not exist is written. DeckError when the deck in use lacks a card.
    """
    if decks is None:
        return (
            World(),
            "no deck register is configured: the bridge will follow tags without knowing their cards",
        )
    if not decks.exists():
        save_register(decks, simulated_register(technology=technology))
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
    own = {card: tag_uid(DEFAULT_DECK, card, technology=technology) for card in STANDARD_52}
    return RetaggedWorld({own[card]: tag_of_card[card] for card in STANDARD_52}), None


def check_readable(decks: Path | None, world: World, tags: Iterable[str], devices: Iterable[object]) -> None:
    """DeckError where a simulated reader would hear nothing of a card: the tag is of another kind."""
    for tag in map(world.real, tags):
        for device in devices:
            if isinstance(device, ReadingDevice) and not device.can_read(tag):
                raise DeckError(
                    f"{device.name} is {an(device.kind)}, which cannot read tags of {len(tag) // 2} bytes "
                    f"such as {tag} of {decks or 'the simulated deck'}: use a deck with tags of its kind, or "
                    f"another reader."
                )


def check_typed(config: TableConfig) -> None:
    """A simulated wedge reader types by a rule; what a real one without a rule types nobody knows."""
    for device in config.devices:
        if device.kind == "hid_keyboard" and device.antennas and device.typed is None:
            raise UsageError(
                f"{device.name} has no rule by which it types tags, so that it cannot be simulated: give it"
                ' one, such as typed = "hex", in the configuration that is simulated.'
            )


class TypedTags:
    """What a configured device types, as far as tags go; any other kind has nothing against any tag."""

    def __init__(self, device: DeviceConfig) -> None:
        self.kind = device.kind
        self._rule = device.typed if device.antennas else None

    def can_read(self, tag: str) -> bool:
        return self._rule is None or can_name("hid_keyboard", tag, typed=self._rule)
