"""Every finding can say why: what it rests on, its rule, what would have made it different."""

from typing import get_args

import pytest

from shoe_bridge.rules.book import open_book
from shoe_bridge.rules.explain import Explainer, doubt_of, why
from shoe_bridge.rules.games import open_game
from shoe_bridge.rules.profile_file import open_profile, profile_names
from shoe_bridge.rules.reasons import reason_of
from shoe_bridge.table.findings import (
    AnyFinding,
    BurnMoved,
    ButtonError,
    CardAfterEnd,
    CountError,
    DealOk,
    DealTooRegular,
    DealtOut,
    DeckAtRisk,
    DeckDefect,
    Equipment,
    ExposedCard,
    ExtraBurn,
    ExtraHand,
    Finding,
    HandDead,
    HandOver,
    HandVoid,
    Jackpot,
    JackpotOrder,
    LookAt,
    MisdealAdvised,
    MissingBurn,
    NotMisdeal,
    OrderError,
    PlayOut,
    PotSplit,
    PrematureCard,
    RefundAll,
    Repairable,
    ReshuffleRequired,
    Restart,
    RuleTextMissing,
    SubstantialAction,
)
from shoe_bridge.table.hand import new_hand
from shoe_bridge.table.observations import (
    AnyObservation,
    CardArrived,
    CardDeparted,
    CardDrawn,
    CardReadAgain,
    CardStays,
    CardUnread,
    DealerEntered,
    DeviceFaulted,
    Event,
    EventsMissed,
    KeyPressed,
    LinkLost,
    LinkRestored,
)

BOOK = open_book("nz-1999")
HOLDEM = open_game("holdem")
MS = 1_000_000
TAG = "E0040150A05F02B7"
FINDINGS = [
    DealOk(8, 3, 1, 12),
    OrderError(1, "seat 1", "seat 5", "19.1(c)"),
    OrderError(9, "seat 1", "none"),
    CountError("seat 2", 3, 2, "19.1(e)"),
    CountError("board", 1, 5),
    DealtOut(3, "19.1(d)"),
    ExtraHand(4, "19.1(d)"),
    MissingBurn(4, "15.3(a)"),
    ExtraBurn(1),
    ExposedCard(7),
    ExposedCard(None),
    Repairable("19.1(c)", ("1 -> seat 2", "2 -> seat 1")),
    *(MisdealAdvised(f"19.1({letter})") for letter in "abcdefijk"),
    ReshuffleRequired("19.1"),
    Restart(1, 4),
    SubstantialAction(1, False),
    SubstantialAction(2, True),
    HandOver(2),
    CardAfterEnd(20, "15.4(c)(i)"),
    BurnMoved(9, "def. Burn"),
    PrematureCard(9),
    ButtonError(4, 3, "16.1(b)"),
    *(
        NotMisdeal("19.1(c)", reason)
        for reason in ("substantial_action", "one_card", "draw", "corrected", "one_player", "pot_pushed")
    ),
    PlayOut("19.1(c)"),
    HandVoid(3, "2.00", "19.1(f)"),
    HandDead(3, "19.1(g)"),
    RefundAll("19.1(h)"),
    *(
        DeckDefect(reason, "9d")
        for reason in ("duplicate", "missing", "foreign_deck", "joker", "boxed", "wrong_count")
    ),
    DeckAtRisk((3, 4), 2),
    DealTooRegular("new_deck_order", 4),
    DealTooRegular("repeat", 4, 2),
    PotSplit(1, {"2": "45.00"}),
    Jackpot({"2": "500.00"}, "0.00", "19500.00"),
    JackpotOrder(("B", "A"), ("21:14:02.900", "21:14:03.200")),
    LookAt("seat 4"),
    *(RuleTextMissing(topic) for topic in open_profile("nz-1999").topics),
    *(RuleTextMissing(topic) for topic in open_profile("tda").topics),
    *(
        Equipment(cause, "seat 1", "reader-1")
        for cause in ("cross_read", "unread_card", "unknown_tag", "link_lost", "device_fault", "deaf_antenna")
    ),
    Equipment("a_new_cause", "seat 1"),
]


def arrived(seq: int, place: str, at_ms: int) -> Event:
    return Event(seq, CardArrived(place, TAG, 0, at_ms * MS, "reader-1"))


def test_there_is_one_of_every_kind():
    assert {type(finding) for finding in FINDINGS} == set(get_args(AnyFinding))


@pytest.mark.parametrize("profile", profile_names())
@pytest.mark.parametrize("finding", FINDINGS, ids=str)
def test_every_kind_has_a_short_and_a_long_explanation(finding: AnyFinding, profile: str) -> None:
    told = why(finding, [arrived(7, "seat 1", 100)], open_book(profile), HOLDEM, {7: 1})
    assert told.short[0].isupper() or told.short[0].isdigit()
    assert told.short.endswith(".")
    assert ". " not in told.short
    assert len(told.short) <= 180
    assert told.short in told.long
    assert "It rests on this: card 1 came to seat 1 (event 7)." in told.long
    assert "It would be different if " in told.long
    assert f"profile {profile}, version 1" in told.long
    for text in (told.short, told.long):
        assert "None" not in text
        assert ".." not in text
        assert "{" not in text


@pytest.mark.parametrize("finding", FINDINGS, ids=str)
def test_what_a_card_is_stays_in_the_box(finding: AnyFinding) -> None:
    told = why(finding, [arrived(7, "seat 1", 100)], BOOK, HOLDEM, {7: 1})
    assert "9d" not in told.long
    assert TAG not in told.long


def test_the_whole_of_an_order_error():
    told = why(
        OrderError(3, "seat 1", "seat 4", "19.1(c)"), [arrived(7, "seat 1", 100)], BOOK, HOLDEM, {7: 3}
    )
    assert told.short == "Seat 4 was next when card 3 came to seat 1."
    assert told.long == (
        "Card 3 went to seat 1, it was due at seat 4 (19.1(c)). "
        "Seat 4 was next when card 3 came to seat 1. "
        "It rests on this: card 3 came to seat 1 (event 7). "
        "Rule 19.1(c) of profile nz-1999, version 1 (held): "
        "cards dealt out of order: a misdeal before substantial action, unless they can be put right. "
        "Its condition: cards were dealt out of order and cannot be put right, before substantial action; "
        "its consequence: misdeal; if put right, play goes on; nothing is said about money. "
        "It would be different if card 3 had come to seat 4."
    )


def test_advice_is_explained_by_its_rule():
    told = why(MisdealAdvised("19.1(d)"), [], BOOK, HOLDEM)
    assert told.short.startswith("In the initial deal a player was left out or an extra hand dealt in")
    assert (
        "different if exactly the players in the hand had been dealt to, or two players had acted."
        in told.long
    )


def test_a_text_that_is_missing_names_the_stand_ins_as_hints():
    told = why(RuleTextMissing("boxed_card"), [], BOOK, HOLDEM)
    assert "no outcome is asserted" in told.long
    assert "Other rule books, as a hint only: INF-8: a boxed card counts as if it were not there" in told.long
    assert "hint" not in why(RuleTextMissing("stub_short"), [], BOOK, HOLDEM).long


def test_times_are_told_after_the_first_event():
    events = [
        arrived(7, "seat 1", 1_100),
        arrived(9, "seat 2", 1_500),
        Event(12, KeyPressed("end deal", 4_000 * MS, "k")),
    ]
    told = why(DealtOut(3), events, BOOK, HOLDEM, {7: 1, 9: 2})
    assert (
        "card 1 came to seat 1 (event 7); card 2 came to seat 2 (event 9, 0.4 s later); "
        "the key 'end deal' was pressed (event 12, 2.9 s later)."
    ) in told.long


def test_the_middle_of_a_long_row_is_counted():
    events = [arrived(n, "seat 1", 100 * n) for n in range(1, 31)]
    told = why(DealOk(30, 0, 0, 30), events, BOOK, HOLDEM)
    assert "(event 6, 0.5 s later); 18 more like these; a card came to seat 1 (event 25, " in told.long


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (CardDeparted("seat 1", TAG, 0, 0, "r"), "card 4 left seat 1"),
        (CardReadAgain("seat 1", TAG, 2, 0, "r"), "card 4 was read again at seat 1"),
        (CardStays("seat 1", TAG, 0, "r"), "card 4 was still read at seat 1"),
        (CardDrawn(0, "shoe-1", TAG, face="up"), "card 4 left the shoe face up"),
        (CardDrawn(0, "shoe-1"), "card 4 left the shoe"),
        (CardUnread(0, "shoe-1"), "card 4 passed the shoe unread"),
        (DealerEntered("exposed", 7, None, 0, "k"), "card 7 was entered as exposed"),
        (DealerEntered("raise", 3, 500, 0, "k"), "'raise' was entered for seat 3"),
        (DealerEntered("pot", None, 500, 0, "k"), "'pot' was entered"),
        (LinkLost("reader-1", (), "unplugged", 0), "reader-1 was lost (unplugged)"),
        (LinkRestored("reader-1", (), 0, 0), "reader-1 came back"),
        (EventsMissed("reader-1", (), 3, 0), "3 events of reader-1 were lost"),
        (EventsMissed("reader-1", (), 1, 0), "1 event of reader-1 was lost"),
        (DeviceFaulted("reader-1", 4, "hot", False, 0), "reader-1 reported a fault"),
        (DeviceFaulted("reader-1", 4, "hot", True, 0), "reader-1 reported the end of a fault"),
    ],
)
def test_each_observation_in_words(seen: AnyObservation, words: str) -> None:
    assert f"this: {words} (event 5)." in why(HandOver(1), [Event(5, seen)], BOOK, HOLDEM, {5: 4}).long


def test_findings_are_explained_as_they_come(fold_of):
    table = fold_of(open_profile("nz-1999"), "holdem", (1, 2, 3), 3)
    explainer = Explainer(BOOK, table.setup.game)
    table.deal("seat 1", "seat 3")
    explainer.take(table.events)
    change = table.changes[-1]
    told = explainer.why(change.finding, change.evidence, table.state.hand)
    assert "It rests on this: card 2 came to seat 3 (event 4)." in told.long


@pytest.mark.parametrize(
    ("certainty", "probability", "doubt"),
    [
        ("certain", None, ""),
        ("certain", 0.999, ""),
        ("probable", 0.82, "probably (82 %)"),
        ("probable", 0.9979, "probably (99 %)"),
        ("possible", 0.05, "possibly (5 %)"),
        ("possible", None, "possibly"),
    ],
)
def test_each_word_for_a_doubt(certainty: str, probability: float | None, doubt: str) -> None:
    assert doubt_of(certainty, probability) == doubt


def test_an_explanation_begins_with_its_doubt(fold_of):
    table = fold_of(open_profile("nz-1999"), "holdem", (1, 2, 3), 3)
    explainer = Explainer(BOOK, table.setup.game)
    sure = explainer.why(OrderError(2, "seat 3", "seat 2"), (), table.state.hand)
    told = explainer.why(OrderError(2, "seat 3", "seat 2"), (), table.state.hand, "probable", 0.82)
    assert told.short == f"Probably (82 %): {sure.short}"
    assert told.long == f"Probably (82 %): {sure.long}"
    assert sure.short.startswith("Seat 2 was next")


def test_only_so_many_events_are_kept():
    explainer = Explainer(BOOK, HOLDEM, kept_events=3)
    explainer.take(arrived(n, f"seat {n}", 100 * n) for n in range(1, 6))
    hand = new_hand(1, (1, 2), 2, 2, "ready")
    assert (
        "It rests on this: a card came to seat 3 (event 3)."
        in explainer.why(HandOver(1), (2, 3, 3), hand).long
    )
    assert "It rests on this" not in explainer.why(HandOver(1), (1, 2), hand).long


def test_a_finding_of_no_known_kind_is_an_error_of_ours():
    class Unheard(Finding, frozen=True, tag="unheard"):
        pass

    with pytest.raises(TypeError, match="no reason for Unheard"):
        reason_of(Unheard())  # type: ignore[arg-type]
