"""What must hold of a device's keys, and how they stand in the file.

A key is a number of its device. That of a keypad's key is its HID usage, which nobody knows by heart: the
file, and what people are told, has its name instead. A hid_keyboard is a keypad or a reader that types tags.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from protocol.hid_keys import name_of, usage_of
from shoe_bridge.articles import an
from shoe_bridge.runtime.config_kinds import KEY_MAX, KEY_NAMES
from shoe_bridge.toml_lines import KeyPath
from shoe_bridge.toml_schema import Complaint, near_miss, shown, words

if TYPE_CHECKING:
    from shoe_bridge.runtime.config import DeviceConfig

HID_KEYBOARD = "hid_keyboard"
_WITH_KEYS = tuple(kind for kind, most in KEY_MAX.items() if most)
_KEYS_EXAMPLE = 'keys = { F1 = "shuffle", F2 = "cut" }'


def key_word(kind: str, number: int) -> str:
    """How the key of that number is written in the file, and said to people, at a device of that kind."""
    return name_of(number) if kind == HID_KEYBOARD else str(number)


def key_words(kind: str, keys: Mapping[int, str]) -> dict[str, str]:
    """The `keys` of a device as the file has them."""
    return {key_word(kind, number): name for number, name in keys.items()}


def with_key_numbers(document: dict[str, Any]) -> tuple[dict[str, Any], list[Complaint]]:
    """A configuration's document with the numbers of the keypads' keys in place of their names, and what is
    wrong with these names; entries that are wrong are left out. The document itself is left as it is."""
    devices, found = document.get("device"), list[Complaint]()
    if not isinstance(devices, list):
        return document, found
    numbered = []
    for at, device in enumerate(devices):
        if isinstance(device, dict) and device.get("kind") == HID_KEYBOARD:
            keys = device.get("keys")
            if isinstance(keys, dict):
                device = {**device, "keys": _numbered(keys, ("device", at, "keys"), found)}  # noqa: PLW2901
        numbered.append(device)
    return {**document, "device": numbered}, found


def _numbered(keys: dict[str, Any], path: KeyPath, found: list[Complaint]) -> dict[str, Any]:
    numbers: dict[str, Any] = {}
    for word, name in keys.items():
        usage = usage_of(word)
        if usage is None:
            found.append(Complaint((*path, word), f"a keypad has no key {shown(word)}{_hint(word)}"))
        elif not isinstance(name, str):
            found.append(Complaint((*path, word), f"{word} is {shown(name)}, expected a text in quotes"))
        elif str(usage) in numbers:
            found.append(Complaint((*path, word), f"{word} is in keys already, expected each key once"))
        else:
            numbers[str(usage)] = name
    return numbers


def _hint(word: str) -> str:
    meant = word.upper().removeprefix("KEY_")
    if usage_of(meant) is not None:
        return f' (did you mean "{meant}"?)'
    return (
        ", expected its name in Linux such as F1, KP1 or A, as `evtest` shows it without KEY_, or its HID"
        " usage such as 0x3A"
    )


def key_rules(device: "DeviceConfig", path: KeyPath) -> Iterator[Complaint]:
    """Each key is there and has a meaning of its own."""
    most = KEY_MAX[device.kind]
    names: set[str] = set()
    for key, name in device.keys.items():
        word = key_word(device.kind, key)
        where: KeyPath = (*path, "keys", word)
        if most == 0:
            yield Complaint(
                where,
                f"{an(device.kind)} has no keys, expected keys at a {words(_WITH_KEYS)} device only",
            )
            return
        if not 1 <= key <= most:
            yield Complaint(where, f"key {key} does not exist, expected 1 to {most} at {an(device.kind)}")
        if name not in KEY_NAMES:
            expected = near_miss(name, KEY_NAMES) or f", expected {words(KEY_NAMES)}"
            yield Complaint(where, f"key {word} is {shown(name)}{expected}")
        elif name in names:
            yield Complaint(
                where, f"key {word} is a second {shown(name)}, expected each name once per device"
            )
        names.add(name)
    if device.kind == HID_KEYBOARD:
        yield from _keypad_rules(device, path)


def _keypad_rules(device: "DeviceConfig", path: KeyPath) -> Iterator[Complaint]:
    """It is one of the two."""
    if not device.keys and not device.antennas:
        yield Complaint(
            path,
            f"{device.name} has neither keys nor antennas, expected {_KEYS_EXAMPLE} for a keypad, or"
            ' antennas = { 1 = "burn" } for a reader that types',
        )
    elif device.keys and device.antennas:
        yield Complaint(
            (*path, "keys"),
            f"{device.name} has keys and antennas, expected one of the two: a hid_keyboard is a keypad or a"
            " reader that types",
        )
    elif device.keys and device.typed is not None:
        yield Complaint((*path, "typed"), f"{device.name} has keys and types no tags, expected no typed")
