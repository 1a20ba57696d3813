"""The map of a table being proven: which antenna of which device looks at which place, which contact is which
key, which light is which. Pure: it is told what was touched and answers in sentences.

A card that is laid on a place proves the antenna that hears it; one that is heard by two proves nothing. Each
antenna and key is proven once. When all is proven, `corrected` is the configuration as the table is wired.
"""

from collections import Counter
from collections.abc import Iterator

import msgspec

from shoe_bridge.runtime.config import DeviceConfig, TableConfig
from shoe_bridge.runtime.config_keys import HID_KEYBOARD, key_word
from shoe_bridge.runtime.config_kinds import ANTENNA_MAX, KEY_MAX, SHOES
from shoe_bridge.table.layout import seat_of

replace = msgspec.structs.replace

ANTENNA, KEY, SHOE, LIGHT = "antenna", "key", "shoe", "light"
PARTS = {"antennas": (ANTENNA, SHOE), "keys": (KEY,), "lights": (LIGHT,)}
# these tell of every antenna and key that they have, so that a wrong number in the configuration is seen
_TELLS_ALL = {"tablelink": 1, "pepper_c1": 1, "text_line": 0}


class Spot(msgspec.Struct, frozen=True):
    """An antenna or key by its number at a device; a light by its name (number 0). `word` is what people call
    it where that is no number: of a keypad's key, its name."""

    device: str
    number: int
    word: str = ""

    def words(self, what: str) -> str:
        return f"{what} {self.word or self.number} of {self.device}"


def key_spot(device: DeviceConfig, number: int) -> Spot:
    """The key of that number at `device`."""
    word = key_word(device.kind, number)
    return Spot(device.name, number, "" if word == str(number) else word)


class Question(msgspec.Struct, frozen=True):
    """One thing to touch or look at: `name` is a place, a key's name, a shoe or a light, `configured` where
    the configuration has it. `turn` of `turns` where several have one name."""

    what: str
    name: str
    configured: Spot
    turn: int = 1
    turns: int = 1

    def words(self) -> str:
        which = f" (number {self.turn} of {self.turns})" if self.turns > 1 else ""
        if self.what == ANTENNA:
            return f"lay a card on {self.name}{which}"
        if self.what == KEY:
            return f"press the key {self.name!r}{which}"
        if self.what == SHOE:
            return f"draw a card from the shoe {self.name}"
        return f"look at the light {self.name}"


class Answer(msgspec.Struct, frozen=True):
    """What a touch told, as a sentence; `is_proof`: the question is answered."""

    text: str
    is_proof: bool
    spot: Spot | None = None


class MapProof:
    """All questions about the table of `config`, or those about the `parts` of `PARTS`."""

    def __init__(self, config: TableConfig, parts: tuple[str, ...] = tuple(PARTS)) -> None:
        self.config = config
        wanted = {what for part in parts for what in PARTS[part]}
        self.questions = [one for one in _questions(config) if one.what in wanted]
        self.found: dict[Question, Spot] = {}

    def heard(self, question: Question, spots: set[Spot]) -> Answer:
        """A touch was heard at `spots` at once while `question` was asked. What is proven already does not
        count beside what is new: a card takes a moment to be gone from where it was."""
        taken = {spot: known for known, spot in self.found.items() if known.what == question.what}
        new = {spot for spot in spots if spot not in taken}
        if not new:
            known = taken[min(spots, key=_order)]
            where = min(spots, key=_order).words(question.what)
            return Answer(f"that was {where}, which is {known.name} already: {question.words()}", False)
        if len(new) > 1:
            where = " and ".join(spot.words(question.what) for spot in sorted(new, key=_order))
            return Answer(f"two heard it, {where}: {question.words()}, in its middle and nowhere else", False)
        return self._prove(question, new.pop())

    def looked(self, question: Question, light: str) -> Answer:
        """Somebody saw `light` shine while the light of `question` was asked to."""
        spot = Spot(light, 0)
        known = next((one for one, other in self.found.items() if other == spot and one.what == LIGHT), None)
        if known is not None:
            return Answer(f"that is the light {known.name} already: {question.words()} again", False)
        return self._prove(question, spot)

    @property
    def unproven(self) -> list[Question]:
        return [question for question in self.questions if question not in self.found]

    @property
    def changes(self) -> list[tuple[Question, Spot]]:
        """What is wired in another way than it is configured."""
        found = ((question, spot) for question, spot in self.found.items() if spot != question.configured)
        return [(question, spot) for question, spot in found if not self._is_another_turn(question, spot)]

    def corrected(self) -> TableConfig:
        """The configuration as the table is wired. To be asked when all questions are answered."""
        places = {spot: one.name for one, spot in self.found.items() if one.what == ANTENNA}
        keys = {spot: one.name for one, spot in self.found.items() if one.what == KEY}
        names = {spot.device: one.name for one, spot in self.found.items() if one.what == LIGHT}
        devices = tuple(
            replace(
                device,
                antennas=_numbered(device.name, places) if places else device.antennas,
                keys=_numbered(device.name, keys) if keys else device.keys,
            )
            for device in self.config.devices
        )
        lights = tuple(replace(light, name=names.get(light.name, light.name)) for light in self.config.lights)
        return replace(self.config, devices=devices, lights=lights)

    def _prove(self, question: Question, spot: Spot) -> Answer:
        self.found[question] = spot
        is_same = spot == question.configured or self._is_another_turn(question, spot)
        if question.what == LIGHT:
            configured = "as configured" if is_same else f"not {question.name}, the two are exchanged"
            return Answer(f"{question.name}: it is {spot.device}, {configured}", True, spot)
        was = "as configured" if is_same else f"not {question.configured.words(question.what)} as configured"
        return Answer(f"{question.name}: {spot.words(question.what)}, {was}", True, spot)

    def _is_another_turn(self, question: Question, spot: Spot) -> bool:
        """Of several antennas of one place any may be touched first."""
        return any(
            one.configured == spot and one.name == question.name and one.what == question.what
            for one in self.questions
        )


def widened(device: DeviceConfig) -> DeviceConfig:
    """The device with every antenna and key that it may have under the name of its number: `antenna 3`,
    `key 3`. Of a device with one antenna, or that is only asked about the configured ones, no others; none
    becomes a keypad that is none."""
    first = _TELLS_ALL.get(device.kind)
    numbers = list(device.antennas)
    if first is not None and len(numbers) > 1:
        numbers = list(range(first, ANTENNA_MAX[device.kind] + 1))
    is_reader = device.kind == HID_KEYBOARD and not device.keys
    keys = range(1, 1 if is_reader else KEY_MAX[device.kind] + 1)
    return replace(
        device,
        antennas={number: f"{ANTENNA} {number}" for number in numbers},
        keys={number: f"{KEY} {number}" for number in keys},
    )


def number_of(name: str) -> int:
    """The number in a name that `widened` gave."""
    return int(name.rsplit(" ", 1)[1])


def _questions(config: TableConfig) -> Iterator[Question]:
    """In the order in which a person goes round the table: seats, the other places, keys, lights."""
    antennas = [
        (place, Spot(device.name, number))
        for device in config.devices
        for number, place in sorted(device.antennas.items())
    ]
    antennas.sort(key=lambda one: (seat_of(one[0]) is None, seat_of(one[0]) or 0))
    yield from _in_turns(ANTENNA, antennas)
    yield from (
        Question(SHOE, device.name, Spot(device.name, 0)) for device in config.devices if device.kind in SHOES
    )
    yield from _in_turns(
        KEY,
        [
            (name, key_spot(device, number))
            for device in config.devices
            for number, name in sorted(device.keys.items())
        ],
    )
    yield from (Question(LIGHT, light.name, Spot(light.name, 0)) for light in config.lights)


def _in_turns(what: str, named: list[tuple[str, Spot]]) -> Iterator[Question]:
    turns = Counter(name for name, _ in named)
    seen: Counter[str] = Counter()
    for name, spot in named:
        seen[name] += 1
        yield Question(what, name, spot, seen[name], turns[name])


def _numbered(device: str, names: dict[Spot, str]) -> dict[int, str]:
    found = {spot.number: name for spot, name in names.items() if spot.device == device}
    return dict(sorted(found.items()))


def _order(spot: Spot) -> tuple[str, int]:
    return spot.device, spot.number
