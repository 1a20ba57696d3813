"""A deck is laid out over a real link, lifted card by card where the order tells nothing, and checked."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from shoe_bridge.cli.deck_check import DeckCheck
from shoe_bridge.cli.deck_enrol import ORDER, Enrolment, card_name
from shoe_bridge.cli.deck_run import check_alone, enrol_spread
from shoe_bridge.cli.deck_show import Show
from shoe_bridge.cli.deck_tags import telling_gap_s
from shoe_bridge.runtime.config import DeviceConfig
from shoe_bridge.runtime.decks import load_register
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.pepper_device import PepperDevice
from shoe_bridge.sim.pty_host import PtyHost
from shoe_bridge.sim.tablelink_device import TablelinkDevice
from shoe_bridge.sim.tags import tag_uid
from shoe_bridge.sim.world import World
from shoe_bridge.table.deck import Deck, Register

CYCLE_MS = 40
LAST = ORDER[-5:]
TAG = {card: tag_uid("blue", card) for card in ORDER}
TWO_LEFT = {TAG[card]: card for card in ORDER[:-2]}
CARD_OF_NAME = {card_name(card): card for card in ORDER}


class Person(Show):
    """Does what the screen says. `dead` are cards whose tags nobody hears."""

    def __init__(self, folder: Path, dead: tuple[str, ...] = ()) -> None:
        super().__init__(52)
        self.world = World()
        device = TablelinkDevice("r", air=Air(self.world), antennas={1: "board"}, cycle_ms=CYCLE_MS)
        self.host = PtyHost([device], folder)
        self.device = DeviceConfig(
            name="r", kind="tablelink", port=str(folder / "r"), antennas={1: "board"}, cycle_ms=CYCLE_MS
        )
        self.asked: list[str] = []
        self.had: list[int] = []
        self.refused: list[str] = []
        for card in dead:
            self.world.hide(TAG[card])

    def ask(self, text: str, have: int) -> None:
        self.asked.append(text)
        self.had.append(have)
        card = CARD_OF_NAME[text.partition(" the ")[2].removesuffix(" alone")]
        with self.host.table():
            if text.startswith("lift"):
                self.world.lift(TAG[card])
            else:
                self.world.lift_all()
                self.world.place(TAG[card], "board")

    def note(self, text: str) -> None:
        pass

    def refuse(self, text: str) -> None:
        self.refused.append(text)

    async def lay(self, *cards: str, apart_s: float) -> None:
        for card in cards:
            with self.host.table():
                self.world.place(TAG[card], "board")
            await asyncio.sleep(apart_s)


def enrolment() -> Enrolment:
    """All but the last five cards have a tag."""
    return Enrolment("blue", Register(()), {TAG[card]: card for card in ORDER[:-5]})


async def spread_out(person: Person, made: Enrolment, partial: Path, *hands: Any) -> None:
    async def lay() -> None:
        await asyncio.sleep(0.5)
        for hand in hands:
            await hand

    laying = asyncio.ensure_future(lay())
    await enrol_spread(made, person.device, partial, person, 2.0)
    await laying


def test_cards_dealt_one_after_the_other_are_told_and_the_rest_are_lifted(tmp_path: Path) -> None:
    person, made = Person(tmp_path), enrolment()
    with person.host:
        hands = [person.lay(*LAST[:3], apart_s=0.25), person.lay(*LAST[3:], apart_s=0)]
        asyncio.run(spread_out(person, made, tmp_path / "partial", *hands))
    assert made.missing == []
    assert made.tags == {tag: card for card, tag in TAG.items()}
    assert person.asked in ([], [f"lift the {card_name(LAST[3])}"])  # both may come in two polls
    assert load_register(tmp_path / "partial").decks[0].tags == made.tags


def test_a_spread_with_a_dead_card_is_asked_for_card_by_card(tmp_path: Path) -> None:
    person, made = Person(tmp_path, dead=(LAST[1],)), enrolment()
    with person.host:
        asyncio.run(spread_out(person, made, tmp_path / "partial", person.lay(*LAST, apart_s=0.1)))
    assert made.missing == [LAST[1]]
    assert made.tags == {tag: card for card, tag in TAG.items() if card != LAST[1]}
    assert f"nothing was lifted: lift the {card_name(LAST[1])} again" in person.refused
    assert f"the {card_name(LAST[1])} has no tag that answers" in person.refused


class Sleeper(Person):
    """Lays the cards out and lifts nothing until asked for the fourth time."""

    def ask(self, text: str, have: int) -> None:
        if len(self.asked) < 3:
            self.asked.append(text)
        else:
            super().ask(text, have)


def test_a_person_who_does_not_lift_makes_no_card_dead(tmp_path: Path) -> None:
    person, made, two = Sleeper(tmp_path), Enrolment("blue", Register(()), TWO_LEFT), ORDER[-2:]
    with person.host:

        async def lay() -> None:
            await enrol_spread(made, person.device, tmp_path / "partial", person, 0.5)

        for card in two:
            person.world.place(TAG[card], "board")
        asyncio.run(lay())
    assert (made.missing, made.tags) == ([], {tag: card for card, tag in TAG.items()})
    assert f"nothing was lifted: lift the {card_name(two[0])} again" in person.refused
    assert not any("dead" in text for text in person.refused)


def test_cards_as_far_apart_as_is_told_need_no_lifting_at_a_pepper(tmp_path: Path) -> None:
    person, made = Person(tmp_path), enrolment()
    device = PepperDevice("p", air=Air(person.world), antennas={1: "board"}, cycle_ms=CYCLE_MS)
    person.host = PtyHost([device], tmp_path)
    person.device = msgspec.structs.replace(person.device, kind="pepper_c1", port=str(tmp_path / "p"))
    with person.host:
        hand = person.lay(*LAST, apart_s=telling_gap_s(person.device))
        asyncio.run(spread_out(person, made, tmp_path / "partial", hand))
    assert made.tags == {tag: card for card, tag in TAG.items()}
    assert person.asked == []


class Talker(Person):
    """Keeps what it is told, and takes all cards away when it has laid them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.noted: list[str] = []

    def note(self, text: str) -> None:
        self.noted.append(text)

    async def flash(self, *cards: str) -> None:
        await self.lay(*cards, apart_s=0)
        await asyncio.sleep(4 * CYCLE_MS / 1000)
        with self.host.table():
            self.world.lift_all()


@pytest.mark.parametrize("is_resumed", [True, False])
def test_cards_laid_too_fast_are_told_how_fast_they_may_come(tmp_path: Path, is_resumed: bool) -> None:
    known = {TAG[card]: card for card in ORDER[:-2]} if is_resumed else {}
    person, made = Talker(tmp_path), Enrolment("blue", Register(()), known)
    cards = ORDER[-2:] if is_resumed else ORDER
    with person.host:
        asyncio.run(spread_out(person, made, tmp_path / "partial", person.flash(*cards)))
    assert "each at least 0.1 s after the one before" in person.noted[0]
    (said,) = [text for text in person.refused if "not heard any more" in text]
    assert "came less than 0.1 s apart" in said
    assert ("--resume" in said) is is_resumed
    assert (tmp_path / "partial").exists() is is_resumed


def test_a_spread_in_which_nothing_is_heard_keeps_nothing(tmp_path: Path) -> None:
    person = Person(tmp_path)
    with person.host:
        asyncio.run(
            enrol_spread(Enrolment("blue", Register(())), person.device, tmp_path / "partial", person, 0.5)
        )
    assert person.refused == ["0 tags were heard for 52 cards: the order tells nothing then"]
    assert not (tmp_path / "partial").exists()


@pytest.mark.parametrize("covered", [True, False], ids=["covered", "dead"])
def test_a_card_is_only_dead_if_it_is_silent_alone(tmp_path: Path, covered: bool) -> None:
    deck = Deck("blue", {TAG[card]: card for card in LAST})
    person = Person(tmp_path, dead=() if covered else (LAST[2],))
    check = DeckCheck(Register((deck,)), None, "decks.toml")
    for card in LAST:
        if not covered or card != LAST[2]:
            person.world.place(TAG[card], "board")
    with person.host:
        asyncio.run(check_alone(check, person.device, person, 1.0))
    assert person.asked == [f"take all away, then lay down the {card_name(LAST[2])} alone"]
    assert person.had == [len(LAST) - 1]  # the others have answered
    assert (check.is_sound, list(check.dead.values())) == ((True, []) if covered else (False, [LAST[2]]))
