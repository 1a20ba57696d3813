"""Two tags of one identity: one card while they travel together, two when they do not."""

from shoe_bridge.table.cards import STANDARD_52
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.findings import DealOk, DeckDefect
from shoe_bridge.table.observations import CardArrived, CardDeparted

MS = 1_000_000
PAIRED = Deck(
    "paired",
    {f"E00477{side}000000{at:04X}": card for at, card in enumerate(STANDARD_52) for side in ("0A", "0B")},
)
ODD = Deck(
    "odd",
    {**{f"E00455000000{at:04X}": card for at, card in enumerate(STANDARD_52)}, "E0045500FFFFFFFF": "9d"},
)
DEAL = [f"seat {seat}" for seat in (1, 2, 3, 4)] * 2


def tags_of(register: Register, card: str) -> list[str]:
    return [tag for tag, each in register.decks[0].tags.items() if each == card]


class Felt:
    """Cards with one or two tags, laid and lifted at times in ms."""

    def __init__(self, table, deck: Deck, game: str = "holdem") -> None:
        self.t = table(game, register=Register((deck,)))

    def lay(self, tag: str, place: str, after_ms: int, at_ms: int) -> None:
        self.t.take(CardArrived(place, tag, after_ms * MS, at_ms * MS, "reader-1"))

    def lift(self, tag: str, place: str, at_ms: int) -> None:
        self.t.take(CardDeparted(place, tag, at_ms * MS, at_ms * MS, "reader-1"))

    def lay_pair(self, card: str, place: str, at_ms: int) -> None:
        for tag in tags_of(self.t.setup.register, card):
            self.lay(tag, place, at_ms - 50, at_ms)

    @property
    def defects(self) -> list[DeckDefect]:
        return self.t.standing(DeckDefect)


def test_which_decks_are_made_with_two_tags_a_card():
    assert PAIRED.has_paired_tags
    assert not ODD.has_paired_tags
    assert ODD.doubled == {"9d"}


def test_a_card_with_two_tags_is_dealt_once(table):
    felt = Felt(table, PAIRED)
    for number, place in enumerate(DEAL):
        felt.lay_pair(STANDARD_52[7 * number], place, 1000 * number + 100)
    felt.t.play("end deal")
    assert felt.t.standing(DealOk) == [DealOk(8, 0, 0, 8)]
    assert felt.defects == []
    assert len(felt.t.state.hand.twins) == 8


def test_the_second_tag_may_be_read_some_polls_later(table):
    felt = Felt(table, PAIRED)
    first, second = tags_of(felt.t.setup.register, "9d")
    felt.lay(first, "seat 1", 10, 50)
    felt.lay(second, "seat 1", 450, 500)
    assert len(felt.t.state.hand.cards) == 1
    assert felt.defects == []


def test_both_tags_move_together_in_a_repair(table):
    felt = Felt(table, PAIRED)
    first, second = tags_of(felt.t.setup.register, "9d")
    felt.lay_pair("9d", "seat 2", 100)
    felt.lay(second, "seat 1", 5000, 5050)
    felt.lift(second, "seat 2", 5100)
    felt.lay(first, "seat 1", 5000, 5060)
    felt.lift(first, "seat 2", 5200)
    felt.lay_pair("Kc", "seat 2", 9000)
    assert [card.at for card in felt.t.state.hand.cards] == ["seat 1", "seat 2"]
    assert felt.defects == []


def test_a_card_that_is_thrown_away_in_a_draw_is_replaced_once(table):
    felt = Felt(table, PAIRED, "draw")
    seats = [f"seat {seat}" for seat in (1, 2, 3, 4)] * 5
    for number, place in enumerate(seats):
        felt.lay_pair(STANDARD_52[7 * number % 52], place, 1000 * number + 100)
    felt.t.play("end deal", "end bet")
    felt.lay_pair(STANDARD_52[7 * 20 % 52], "burn", 50_000)
    for tag in tags_of(felt.t.setup.register, STANDARD_52[0]):
        felt.lift(tag, "seat 1", 60_000)
    felt.lay_pair(STANDARD_52[0], "muck", 61_000)
    assert felt.t.state.hand.discards == (1,)


def test_the_same_identity_at_another_place_is_a_duplicate(table):
    for deck in (PAIRED, ODD):
        felt = Felt(table, deck)
        first, second = tags_of(felt.t.setup.register, "9d")
        felt.lay(first, "seat 1", 10, 50)
        felt.lay(second, "seat 2", 10, 50)
        assert felt.defects == [DeckDefect("duplicate", "9d")]


def test_the_same_identity_at_the_same_place_in_another_window_is_a_duplicate(table):
    felt = Felt(table, ODD)
    first, second = tags_of(felt.t.setup.register, "9d")
    felt.lay(first, "seat 1", 10, 50)
    felt.lay(second, "seat 1", 60, 100)
    assert felt.defects == [DeckDefect("duplicate", "9d")]
    felt = Felt(table, PAIRED)
    first, second = tags_of(felt.t.setup.register, "9d")
    felt.lay(first, "seat 1", 10, 50)
    felt.lay(second, "seat 1", 1100, 1150)
    assert felt.defects == [DeckDefect("duplicate", "9d")]


def test_one_poll_decides_where_one_card_alone_has_a_second_tag(table):
    for not_before_ms, cards in ((49, 1), (50, 2)):
        felt = Felt(table, ODD)
        first, second = tags_of(felt.t.setup.register, "9d")
        felt.lay(first, "seat 1", 10, 50)
        felt.lay(second, "seat 1", not_before_ms, 90)
        assert len(felt.t.state.hand.cards) == cards
        assert len(felt.defects) == cards - 1


def test_a_tag_that_comes_along_later_than_its_twin_is_a_second_card(table):
    felt = Felt(table, PAIRED)
    first, second = tags_of(felt.t.setup.register, "9d")
    felt.lay_pair("9d", "seat 2", 100)
    felt.lay(second, "seat 1", 5000, 5050)
    felt.lift(second, "seat 2", 5100)
    felt.lay(first, "seat 1", 7000, 7050)
    assert felt.defects == [DeckDefect("duplicate", "9d")]


def test_a_tag_that_stays_behind_is_a_second_card_once_that_is_sure(table):
    felt = Felt(table, PAIRED)
    _, second = tags_of(felt.t.setup.register, "9d")
    felt.lay_pair("9d", "seat 2", 100)
    felt.lift(second, "seat 2", 4900)
    felt.lay(second, "seat 1", 5000, 5050)
    felt.lay_pair("Kc", "seat 2", 6000)  # the first one may still be on its way
    assert felt.defects == []
    felt.lay_pair("Qc", "seat 3", 9000)
    assert felt.defects == [DeckDefect("duplicate", "9d")]


def test_cards_swept_together_tag_by_tag_are_no_duplicates(table):
    felt = Felt(table, PAIRED)
    first, _ = tags_of(felt.t.setup.register, "9d")
    felt.lay_pair("9d", "seat 1", 100)
    felt.t.play("end deal", "push")
    felt.lift(first, "seat 1", 20_000)
    felt.lay(first, "muck", 20_000, 20_050)
    felt.lay_pair("Kc", "muck", 30_000)
    assert felt.defects == []


def test_two_tags_of_one_card_at_two_places_in_a_full_scan_are_a_duplicate(table):
    felt = Felt(table, PAIRED)
    first, second = tags_of(felt.t.setup.register, "9d")
    felt.t.play("next hand", "scan")
    felt.lay(first, "stub", 10, 50)
    felt.lay(second, "muck", 10, 50)
    felt.t.play("scan end")
    assert felt.defects == [DeckDefect("duplicate", "9d")]


def test_a_whole_deck_of_two_tags_a_card_is_proven_by_a_scan(table):
    felt = Felt(table, PAIRED)
    felt.t.play("next hand", "scan")
    for card in STANDARD_52:
        felt.lay(tags_of(felt.t.setup.register, card)[0], "stub", 10, 50)
    felt.t.play("scan end")  # one tag of each is enough: the card is there
    assert felt.t.state.watch.proven is not None
