"""Whether the readers of a table can read the deck that is registered for it."""

from protocol.tag_reach import can_name
from shoe_bridge.errors import DeckError
from shoe_bridge.runtime.config import DeviceConfig, TableConfig
from shoe_bridge.table.deck import Register


def check_deck_fits(config: TableConfig, register: Register) -> None:
    """DeckError where a reader of the table can name no tag of some card of the deck in use. Of a card with
    two tags one is enough: they may be of two kinds, for readers of two kinds."""
    if not register.decks:
        return
    deck = register.decks[0]
    tags_of: dict[str, list[str]] = {}
    for tag, card in deck.tags.items():
        tags_of.setdefault(card, []).append(tag)
    for device in config.devices:
        if not device.antennas:
            continue
        for tags in tags_of.values():
            if not any(_can_name(device, tag) for tag in tags):
                raise DeckError(
                    f"{device.name} is a {device.kind}, which {_why(device, tags[0])} such as {tags[0]} of "
                    f"deck {deck.id} in {config.table.decks}: {_fix(device)}."
                )


def _can_name(device: DeviceConfig, tag: str) -> bool:
    return can_name(
        device.kind,
        tag,
        antennas=tuple(device.antennas),
        preset=device.preset,
        patterns=device.patterns,
        typed=device.typed,
    )


def _why(device: DeviceConfig, tag: str) -> str:
    if device.kind == "hid_keyboard":
        rule = (
            "without `typed` names tags by the characters of a text"
            if device.typed is None
            else (f'with typed = "{device.typed}" names other tags')
        )
        return f"{rule}, never one"
    lines = f" with the lines of {device.preset or 'its program'}" if device.kind == "text_line" else ""
    return f"cannot read tags of {len(tag) // 2} bytes{lines}"


def _fix(device: DeviceConfig) -> str:
    if device.kind == "hid_keyboard":
        return "say by `typed` how it types a tag, or register the deck with it"
    return "use a deck with tags of its kind, or another reader"
