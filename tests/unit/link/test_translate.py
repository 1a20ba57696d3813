"""Messages to table words, where no memory is needed."""

from collections import Counter

import pytest

from protocol import messages as said
from shoe_bridge.link.held_reader import HeldReader
from shoe_bridge.link.keys import Keys
from shoe_bridge.link.polled_reader import PolledReader
from shoe_bridge.link.presence import Presence
from shoe_bridge.link.translate import HeldTranslate, PolledTranslate, plain
from shoe_bridge.table import observations as seen
from shoe_bridge.table.observations import AnyObservation

AT = 5_000_000_000
CASES: list[tuple[said.Message, AnyObservation]] = [
    (
        said.CardDrawn(tag="E0A", face="up"),
        seen.CardDrawn(AT, "shoe-1", tag="E0A", card=None, face="up"),
    ),
    (said.CardDrawn(card="9d"), seen.CardDrawn(AT, "shoe-1", tag=None, card="9d", face=None)),
    (said.CardUnread(face="down"), seen.CardUnread(AT, "shoe-1")),
    (
        said.DealerEntry("raise", number=4, amount=250),
        seen.DealerEntered("raise", 4, 250, AT, "shoe-1"),
    ),
    (said.DealerEntry("pot"), seen.DealerEntered("pot", None, None, AT, "shoe-1")),
    (
        said.DeviceFault(0x0102, "antenna 2 does not answer"),
        seen.DeviceFaulted("shoe-1", 0x0102, "antenna 2 does not answer", False, AT),
    ),
    (said.DeviceFault(7, None, cleared=True), seen.DeviceFaulted("shoe-1", 7, "fault 7", True, AT)),
]


@pytest.mark.parametrize(("message", "observation"), CASES)
def test_one_message_one_observation(message: said.Message, observation: AnyObservation) -> None:
    assert plain(message, "shoe-1", AT) == observation


@pytest.mark.parametrize(
    "message",
    [said.Ack("dummy"), said.UnknownBody(9, "09"), said.TypedLine("x"), said.ShoeReport("locked")],
    ids=lambda message: type(message).__name__,
)
def test_what_the_table_is_not_told_is_counted(message: said.Message) -> None:
    counters: Counter[str] = Counter()
    out: list[AnyObservation] = []
    _polled(counters).take(message, said.Stamp(1, False, False, 5), 5, AT, out)
    _held(counters).take(message, AT, out)
    assert out == []
    assert counters == {"untold": 2}


def test_a_polling_device_tells_cards_keys_and_places_by_their_names() -> None:
    counters: Counter[str] = Counter()
    translate = _polled(counters)
    out: list[AnyObservation] = []
    stamp = said.Stamp(1, True, False, 5_000)
    for message in (said.TagSeen("E0A", 1, -30), said.KeyPressed(1), said.CardUnread()):
        translate.take(message, stamp, 5_000, AT, out)
    translate.take(said.KeyReleased(1), stamp, 5_050, AT + 50_000_000, out)
    assert [type(one).__name__ for one in out] == ["CardArrived", "CardUnread", "KeyPressed"]


def test_lost_events_and_a_lost_link_forget_a_key_that_is_down() -> None:
    for forget in (PolledTranslate.distrust, PolledTranslate.broke_off):
        translate = _polled(Counter())
        out: list[AnyObservation] = []
        stamp = said.Stamp(1, True, False, 5_000)
        translate.take(said.KeyPressed(1), stamp, 5_000, AT, out)
        forget(translate)
        translate.take(said.KeyReleased(1), stamp, 5_050, AT, out)
        assert out == []


def _polled(counters: Counter[str]) -> PolledTranslate:
    reader = PolledReader(
        Presence(),
        "shoe-1",
        {1: "burn"},
        cycle_ms=400,
        gone_after_polls=2,
        is_known_tag=lambda tag: True,
        counters=counters,
    )
    return PolledTranslate("shoe-1", reader, Keys("shoe-1", {1: "cut"}, counters), counters)


def _held(counters: Counter[str]) -> HeldTranslate:
    reader = HeldReader(
        Presence(),
        "shoe-1",
        {1: "burn"},
        cycle_ms=400,
        hold_ms=500,
        is_known_tag=lambda tag: True,
        counters=counters,
    )
    return HeldTranslate("shoe-1", reader, [1], counters)
