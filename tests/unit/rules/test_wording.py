"""Findings in words: every kind has one plain sentence, with its rule's number where it has one."""

from typing import get_args

import pytest

from shoe_bridge.rules import wording
from shoe_bridge.rules.wording import sentence
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

SENTENCES = [
    (OrderError(1, "seat 1", "seat 5", "19.1(c)"), "Card 1 went to seat 1, it was due at seat 5 (19.1(c))."),
    (OrderError(9, "seat 1", "none"), "Card 9 went to seat 1, where no card was due."),
    (CountError("seat 2", 3, 2, "19.1(e)"), "Seat 2 has 3 cards instead of 2 (19.1(e))."),
    (CountError("board", 1, 5), "Board has 1 card instead of 5."),
    (DealtOut(3, "19.1(d)"), "Seat 3 was dealt out (19.1(d))."),
    (ExtraHand(4, "19.1(d)"), "Seat 4 is not in the hand and was dealt in (19.1(d))."),
    (MissingBurn(4, "15.3(a)"), "No card was burned before community card 4 (15.3(a))."),
    (ExtraBurn(1), "A card too many was burned before community card 1."),
    (ExposedCard(None), "A card was exposed."),
    (ExposedCard(7), "Card 7 was exposed."),
    (CardAfterEnd(20), "Card 20 was dealt after the hand was over."),
    (DealOk(8, 3, 1, 12), "The deal is in order, 12 cards."),
    (HandOver(2), "One player remains: seat 2 wins the pot."),
    (SubstantialAction(2, True), "2 players have acted, substantial action."),
    (
        DeckAtRisk((3, 4, 5), 2),
        "Dealt from the defective deck: hands 3, 4, 5; it was last proven with hand 2.",
    ),
    (
        DealTooRegular("repeat", 9, 7),
        "Hand 9 repeats the deal of hand 7: look whether the deck was shuffled.",
    ),
    (
        RuleTextMissing("stub_short"),
        "The rule text for a stub too short for the cards that come next is not held: ask the supervisor.",
    ),
    (Restart(1, 4), "The deal starts again with seat 1, the button stays at seat 4."),
    (ButtonError(4, 3, "16.1(b)"), "The button lies at seat 4 and belongs at seat 3 (16.1(b))."),
    (PlayOut("19.1(f)", (1, 2), "5.00"), "The hand is played out by seats 1, 2 for 5.00 (19.1(f))."),
    (
        Repairable("19.1(c)", ("1 -> seat 2", "next -> seat 4")),
        "It can be put right: card 1 to seat 2, the next card to seat 4; the supervisor decides (19.1(c)).",
    ),
    (
        Jackpot({"B:6": "23400.00", "A:2": "1000.00"}, "1000.00", "0.00", order=("B", "A")),
        "The jackpot pays 23400.00 to seat 6 of table B, 1000.00 to seat 2 of table A, "
        "if the tables are paid in the order B, A.",
    ),
    (
        Jackpot({"A:2": "500.00"}, "0.00", "19500.00", order=("A",)),
        "The jackpot pays 500.00 to seat 2 of table A.",
    ),
    (
        Jackpot({"2": "2000.01"}, "0.00", "18000.05", has_fraction=True),
        "The jackpot pays 2000.01 to seat 2, with fractions of a cent rounded.",
    ),
    (
        JackpotOrder(("B", "A"), ("21:14:02.900", "21:14:03.200")),
        "The proposed order of payment is B, A: last cards were read at 21:14:02.900 at table B, "
        "21:14:03.200 at table A; the supervisor decides.",
    ),
    (
        RuleTextMissing("jackpot_order_between_tables"),
        "The rule text for the order of payment between tables is not held: ask the supervisor.",
    ),
    (
        Equipment("unread_card", "seat 4", "reader-1"),
        "A card was not read at seat 4: lift it and lay it down again.",
    ),
    (
        Equipment("device_fault", None, "reader-1"),
        "Device reader-1 reports a fault: have a technician look at it.",
    ),
]
OTHERS = [
    MisdealAdvised("19.1(c)"),
    ReshuffleRequired("19.1"),
    Restart(1, None),
    SubstantialAction(0, False),
    BurnMoved(9),
    PrematureCard(9),
    PlayOut("19.1(c)"),
    HandVoid(3, "2.00", "19.1(f)"),
    HandVoid(3, None, "19.1(f)"),
    HandDead(3, "19.1(g)"),
    RefundAll("19.1(h)"),
    DeckAtRisk((4,), None),
    DealTooRegular("new_deck_order", 4),
    *(
        DeckDefect(reason)
        for reason in ("duplicate", "missing", "foreign_deck", "joker", "boxed", "wrong_count")
    ),
    *(
        NotMisdeal("19.1(c)", why)
        for why in ("substantial_action", "one_card", "draw", "corrected", "one_player", "pot_pushed")
    ),
    *(RuleTextMissing(topic) for topic in ("missed_burn", "extra_burn", "boxed_card", "a_new_topic")),
    *(Equipment(cause, "seat 1", "reader-1") for cause in ("cross_read", "unknown_tag", "link_lost")),
    Equipment("unread_card"),
    PotSplit(1, {"2": "45.00", "5": "40.00"}),
    Jackpot({"2": "500.00"}, "0.00", "19500.00"),
    JackpotOrder(("B", "A")),
    LookAt("seat 4"),
]


@pytest.mark.parametrize(("finding", "text"), SENTENCES)
def test_what_is_said(finding: Finding, text: str) -> None:
    assert sentence(finding) == text


@pytest.mark.parametrize("finding", [*(finding for finding, _ in SENTENCES), *OTHERS], ids=str)
def test_one_plain_sentence_each(finding: Finding) -> None:
    text = sentence(finding)
    assert not text[0].islower()
    assert text.endswith(".")
    assert ". " not in text
    assert "None" not in text
    assert "{" not in text
    rule = getattr(finding, "rule", None)
    assert (f"({rule})" in text) is (rule is not None)


def test_every_kind_has_words() -> None:
    worded = {type(finding) for finding, _ in SENTENCES} | {type(finding) for finding in OTHERS}
    assert worded == set(get_args(AnyFinding))


@pytest.mark.parametrize(
    "finding", [MisdealAdvised("19.1(c)"), HandVoid(3, None, "19.1(f)"), RefundAll("19.1")]
)
def test_it_advises_and_never_declares(finding: Finding) -> None:
    assert "supervisor" in sentence(finding)
    assert "decides" in sentence(finding)


def test_a_finding_of_no_known_kind_is_an_error_of_ours() -> None:
    class Unheard(Finding, frozen=True, tag="unheard"):
        pass

    with pytest.raises(TypeError, match="no wording for Unheard"):
        wording.sentence(Unheard())  # type: ignore[arg-type]
