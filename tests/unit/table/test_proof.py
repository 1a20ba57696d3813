"""The deck is proven, at risk or defective: scans, sightings, the hands since the last proof."""

import msgspec
import pytest

from shoe_bridge.table.cards import STANDARD_52
from shoe_bridge.table.deck import Deck, Proven, Register, Sighting
from shoe_bridge.table.findings import DeckAtRisk, DeckDefect, Equipment
from shoe_bridge.table.observations import CardArrived, CardDeparted, KeyPressed, LinkLost, LinkRestored
from shoe_bridge.table.proof import Unlocated, proof_of

DEAL = ["seat 1", "seat 2", "seat 3", "seat 4"] * 2
RED = Deck("red", {f"E00499990000{number:04X}": card for number, card in enumerate(STANDARD_52)})


def proof(t):
    return proof_of(t.state, t.setup)


def scan(t, *missing: int):
    """The deck is gathered and read; the cards of these numbers are not seen."""
    lift(t)
    words = [f"{number} > stub" for number in range(1, 53) if number not in missing]
    return t.play("scan", *words, "scan end")


def lift(t) -> None:
    for tag, places in list(t.state.lies.items()):
        for place in places:
            t.take(CardDeparted(place, tag, 0, 0, "reader-1"))


def hand(t, *end: str) -> None:
    """One hand is dealt and ends; the next one has begun."""
    t.play("shuffle", "cut")
    seats = [f"seat {seat}" for seat in t.state.hand.order] * 2
    t.deal(*seats)
    t.play("end deal", *(end or ("push", "next hand")))
    lift(t)


def raised(changes, kind):
    return [change for change in changes if change.raised and isinstance(change.finding, kind)]


# -- proven, and for how long


def test_a_deck_is_not_proven_before_it_was_seen_whole(table):
    t = table()
    assert proof(t).last_proven is None
    assert not proof(t).is_proven
    assert proof(t).says == "Deck blue was never proven: 0 hands dealt from it."
    hand(t)
    assert proof(t).hands_at_risk == (1,)
    assert proof(t).says == "Deck blue was never proven: 1 hand dealt from it."


def test_a_complete_scan_proves_it_and_each_hand_dealt_since_is_counted(table):
    t = table()
    scan(t)
    assert proof(t).last_proven == Proven(t.state.last_seq, 0, 0, "scan")
    assert proof(t).is_proven
    assert proof(t).says == "Deck blue is proven."
    hand(t)
    hand(t)
    t.play("shuffle", "cut", "1 > seat 3")
    assert proof(t).hands_at_risk == (1, 2, 3)
    assert proof(t).says == "Deck blue was last proven 3 hands ago."
    scan(t)
    assert proof(t).last_proven.through_hand == 3
    assert proof(t).hands_since == 0


def test_a_hand_number_without_a_card_is_not_at_risk(table):
    t = table()
    hand(t)
    t.play("next hand", "next hand")
    hand(t)
    assert t.state.hand.number == 5
    assert proof(t).hands_at_risk == (1, 4)
    assert t.state.watch.runs == ((1, 1), (4, 4))


def test_a_deck_of_which_every_card_turned_up_since_the_shuffle_is_proven(table):
    t = table()
    t.deal(*DEAL)
    t.play(*(f"{number} > stub" for number in range(9, 52)))
    assert proof(t).seen_since_shuffle == 51
    assert proof(t).last_proven is None
    t.play("52 > stub")
    assert proof(t).last_proven.how == "seen"
    assert proof(t).last_proven.through_hand == 1
    assert (proof(t).located, proof(t).unread) == (52, 0)


def test_cards_seen_before_the_shuffle_do_not_count_for_it(table):
    t = table()
    t.play("next hand", *(f"{number} > stub" for number in range(1, 52)))
    t.play("shuffle", "cut", "52 > seat 2")
    assert proof(t).seen_since_shuffle == 1
    assert proof(t).last_proven is None


def test_a_card_too_many_keeps_a_deck_that_is_all_there_from_being_proven(table):
    t = table()
    t.take(CardArrived("seat 1", "04AABBCC", 0, 0, "reader-1"))
    t.play(*(f"{number} > stub" for number in range(1, 53)))
    assert proof(t).seen_since_shuffle == 52
    assert proof(t).last_proven is None


# -- unread, missing


def test_a_card_is_unread_until_two_scans_running_miss_it(table):
    t = table()
    scan(t)
    hand(t)
    changes = scan(t, 9)
    assert t.standing(Equipment) == [Equipment("unread_card", "stub")]
    assert not raised(changes, DeckDefect)
    assert (proof(t).unread, proof(t).missing) == (1, 0)
    [change] = raised(scan(t, 9), DeckDefect)
    assert change.finding == DeckDefect("missing", t.setup.register.card_of(t.tag(9)))
    assert (proof(t).unread, proof(t).missing) == (1, 1)


def test_what_is_missing_names_its_last_sighting_and_the_hands_at_risk(table):
    t = table()
    scan(t)
    proven_seq = t.state.last_seq
    for _ in range(3):
        hand(t)
    t.play("shuffle", "cut")
    t.take(CardArrived(f"seat {t.state.hand.order[0]}", t.tag(9), 70, 80, "reader-1"))
    seen_seq, place = t.state.last_seq, f"seat {t.state.hand.order[0]}"
    t.take(CardDeparted(place, t.tag(9), 90, 99, "reader-1"))
    t.play("push", "next hand")
    scan(t, 9)
    first_scan = t.state.last_seq
    changes = scan(t, 9)
    [defect], [risk] = raised(changes, DeckDefect), raised(changes, DeckAtRisk)
    assert defect.evidence == (seen_seq, first_scan, t.state.last_seq)
    assert risk.finding == DeckAtRisk((1, 2, 3, 4), 0)
    assert risk.evidence == (proven_seq, *defect.evidence)
    card = t.setup.register.card_of(t.tag(9))
    assert proof(t).unlocated == (Unlocated(card, "missing", Sighting(place, seen_seq, 90, 4)),)
    assert proof(t).says == "Deck blue is defective: missing."


def test_a_deck_never_proven_puts_every_hand_at_risk(table):
    t = table()
    hand(t)
    hand(t)
    scan(t, 9)
    [risk] = raised(scan(t, 9), DeckAtRisk)
    assert risk.finding == DeckAtRisk((1, 2), None)


def test_no_hand_is_at_risk_where_none_was_dealt_since_the_proof(table):
    t = table()
    hand(t)
    scan(t)
    scan(t, 9)
    changes = scan(t, 9)
    assert raised(changes, DeckDefect)
    assert not raised(changes, DeckAtRisk)


def test_a_card_that_turned_up_between_two_scans_is_unread_again(table):
    t = table()
    scan(t, 9)
    t.play("next hand", "shuffle", "cut", "9 > seat 2", "9 < seat 2", "push", "next hand")
    assert not raised(scan(t, 9), DeckDefect)
    assert raised(scan(t, 9), DeckDefect)


def test_a_missing_card_that_is_found_is_missing_no_more(table):
    t = table()
    scan(t, 9)
    scan(t, 9)
    assert proof(t).missing == 1
    t.play("9 > stub")
    assert (proof(t).missing, proof(t).unread) == (0, 0)
    t.play("next hand")
    scan(t)
    assert proof(t).is_proven


def test_a_card_at_a_seat_is_located_whatever_the_stub_says(table):
    t = table()
    t.play("1 > seat 1", "scan", *(f"{number} > stub" for number in range(2, 53)), "scan end")
    assert proof(t).is_proven
    assert t.state.missing == ()


def test_a_scan_that_saw_nothing_proves_nothing(table):
    t = table()
    for _ in range(3):
        t.play("scan", "scan end")
    assert t.standing(DeckDefect) == []
    assert t.standing(Equipment) == [Equipment("unread_card", "stub")]


def test_a_scan_with_a_reader_lost_counts_for_nothing(table):
    t = table()
    scan(t, 9)
    t.take(LinkLost("reader-2", ("stub",), "unplugged", 0))
    scan(t, 9)
    assert t.standing(DeckDefect) == []
    t.take(LinkRestored("reader-2", ("stub",), 0, -1))
    scan(t, 9)
    assert len(t.standing(DeckDefect)) == 1


def test_a_scan_end_without_a_scan_changes_nothing(table):
    t = table()
    t.play("1 > stub", "scan end")
    assert t.state.missing == ()
    assert t.standing() == []


# -- more than the deck has


@pytest.mark.parametrize(
    ("tag", "defect"),
    [
        (next(iter(RED.tags)), DeckDefect("foreign_deck", RED.tags[next(iter(RED.tags))])),
        ("E0040150A0000034", DeckDefect("joker")),  # tag 53 of the deck
    ],
)
def test_a_scan_that_sees_a_card_of_another_kind_finds_the_deck_defective(table, tag, defect):
    t = table()
    register = Register((*t.setup.register.decks, RED))
    t = table(register=register)
    t.play("next hand")
    t.take(CardArrived("stub", tag, 0, 0, "reader-1"))
    scanned = t.play("scan", *(f"{number} > stub" for number in range(1, 53)), "scan end")
    assert [change.finding for change in raised(scanned, DeckDefect)] == [defect]
    assert proof(t).last_proven is None


def test_a_tag_of_no_deck_is_a_misread_until_two_scans_see_it(table):
    t = table()
    t.take(CardArrived("stub", "04AABBCC", 0, 0, "reader-1"))
    t.play("scan", *(f"{number} > stub" for number in range(1, 53)), "scan end")
    assert t.standing(Equipment) == [Equipment("unknown_tag", "stub")]
    assert t.standing(DeckDefect) == []
    assert not proof(t).is_proven
    t.play("scan", "scan end")
    assert t.standing(DeckDefect) == [DeckDefect("wrong_count")]


def test_a_guests_key_card_at_a_seat_is_no_card_too_many(table):
    t = table()
    t.play("next hand")
    t.take(CardArrived("seat 7", "04AABBCC", 0, 0, "reader-1"))
    scanned = t.play("scan", *(f"{number} > stub" for number in range(1, 53)), "scan end")
    assert not raised(scanned, DeckDefect)
    assert proof(t).is_proven


def test_a_scan_between_hands_is_told_at_once_and_cards_swept_in_are_not_judged(table):
    t = table(register=Register((Deck("blue", RED.tags), Deck("green", {"E004888800000001": "9d"}))))
    t.play("next hand")
    swept = t.take(CardArrived("seat 1", "E004888800000001", 0, 0, "reader-1"))
    assert raised(swept, DeckDefect) == []
    t.take(CardArrived("stub", "E004888800000001", 0, 0, "reader-1"))
    assert [c.finding.reason for c in raised(t.play("scan", "scan end"), DeckDefect)] == ["foreign_deck"]


# -- what is kept and what is told


def test_while_a_hand_is_live_nobody_is_told_which_cards_are_where(table):
    t = table()
    t.deal(*DEAL)
    assert proof(t).is_sealed
    assert proof(t).unlocated == ()
    assert (proof(t).located, proof(t).unread) == (8, 44)
    t.play("push")
    assert not proof(t).is_sealed
    assert len(proof(t).unlocated) == 44


def test_the_longest_unseen_card_comes_first(table):
    t = table()
    t.deal(*DEAL)
    t.play("push")
    lift(t)
    cards = [each.card for each in proof(t).unlocated]
    dealt = [t.setup.register.card_of(t.tag(number)) for number in range(1, 9)]
    assert cards[-8:] == dealt
    assert cards[:44] == sorted(set(STANDARD_52) - set(dealt))


def test_a_stub_is_kept_as_a_set(table):
    forward, backward = table(), table()
    numbers = list(range(1, 53))
    forward.play(*(f"{number} > stub" for number in numbers))
    backward.play(*(f"{number} > stub" for number in reversed(numbers)))
    assert msgspec.json.encode(forward.state) == msgspec.json.encode(backward.state)
    assert len({last.seq for last in forward.state.watch.sightings.values()}) == 1


def test_a_stray_read_moves_no_sighting(table):
    t = table()
    t.play("1 > seat 1", "1 > seat 2")
    card = t.setup.register.card_of(t.tag(1))
    assert t.state.watch.sightings[card].place == "seat 1"
    t.play("1 < seat 1")
    assert t.state.watch.sightings[card] == Sighting("seat 2", t.state.last_seq, 0, 1)


def test_a_table_without_a_register_has_no_deck_to_prove(table):
    t = table(register=Register(()))
    hand(t)
    t.play("scan", "1 > stub", "scan end", "scan", "scan end")
    assert t.standing(DeckDefect) == []
    assert proof(t).says == "No deck is registered, so none can be proven."
    assert proof(t).cards == 0


def test_a_state_that_knows_of_no_watch_begins_one_with_the_next_hand(table):
    t = table()
    fresh = t.fold.start()
    t.state = msgspec.structs.replace(t.state, watch=type(fresh.watch)())
    t.play("1 > seat 1")
    assert t.state.watch.sightings == {}
    t.take(KeyPressed("next hand", 0, "keys-1"))
    assert len(t.state.watch.sightings) == 52
