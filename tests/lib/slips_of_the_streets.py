"""Errors of burns and streets: after the initial deal, or with the community card that closes it."""

from deal_oracle import Want
from error_case import ECHOES, Case
from game_sheets import board_before, whole_board
from slip_parts import begin, hole_cards, watch

BURN_TEXTS = {"missing_burn": "missed_burn", "extra_burn": "extra_burn"}


def missing_burn(case: Case) -> None:
    street = _play_to_a_street(case)
    sheet, dealer = case.dealer.sheet, case.dealer
    want: Want = {"kind": "missing_burn"}
    if sheet.streets[street][0] == "board":
        want["before_board"] = board_before(sheet, street) + 1
    card = len(dealer.dealt) + 1
    dealer.at_card = watch(case, card, want, also=("rule_text_missing",))
    dealer.deal_cards_of(street)
    _rule_on(case, street, want)


def extra_burn(case: Case) -> None:
    street = _play_to_a_street(case)
    sheet, dealer = case.dealer.sheet, case.dealer
    want: Want = {"kind": "extra_burn"}
    if sheet.streets[street][0] == "board":
        want["before_board"] = board_before(sheet, street) + 1
    dealer.at_card = watch(case, len(dealer.dealt) + 2, want, also=("rule_text_missing",))
    dealer.deal("burn")
    dealer.deal_street(street)
    _rule_on(case, street, want)


def burn_before_first_board(case: Case) -> None:
    """No burn is prescribed before the community card that closes the initial deal (15.1(d), reading A6)."""
    plan = begin(case)
    hole = hole_cards(case)
    want: Want = {"kind": "extra_burn", "before_board": 1}
    case.dealer.at_card = watch(case, hole + 1, want, also=("rule_text_missing",))
    for place in [*plan[:hole], "burn", *plan[hole:]]:
        case.dealer.deal(place)
    case.dealer.end_deal()
    case.calm(also=ECHOES)
    case.stands(want, {"kind": "rule_text_missing", "topic": "extra_burn"})
    case.stands_none("repairable", "misdeal_advised")
    case.rule(0)


def burn_moved(case: Case) -> None:
    """A burned card goes to the discards or back in play, in the hand or while the hands are shown."""
    street = _play_to_a_street(case)
    dealer = case.dealer
    dealer.deal_street(street)
    is_last = street == len(dealer.sheet.streets) - 1
    if is_last and case.rng.random() < 0.4:
        dealer.betting_round(is_first=False)
        dealer.felt.press("showdown")
    case.calm()
    burns = [number for number, place in enumerate(dealer.dealt, start=1) if place == "burn"]
    card = case.rng.choice(burns)
    to = case.rng.choice(("muck", "muck", "board"))
    if to == "board":
        case.may_follow.add("count_error")  # of the board, when it is full
    dealer.felt.lay(dealer.tags[card - 1], to)
    case.raised({"kind": "burn_moved", "card": card}, also=("count_error", *case.accompanying))
    case.rule(street + 1)


def premature_card(case: Case) -> None:
    """The street begins while the betting round is open."""
    street = _play_to_a_street(case, closes_round=False)
    dealer = case.dealer
    card = len(dealer.dealt) + 1
    want: Want = {"kind": "premature_card", "card": card}
    dealer.at_card = watch(case, card, want, also=("rule_text_missing",))
    dealer.deal_street(street)
    case.stands(want, {"kind": "rule_text_missing", "topic": "early_community_card"})
    case.rule(street + 1)


def card_after_end(case: Case) -> None:
    """All players but one have folded, and yet a card is dealt."""
    street = _play_to_a_street(case, closes_round=False)
    dealer = case.dealer
    while len(dealer.left) > 1:
        dealer.fold(dealer.left[0])
    case.calm()
    case.stands({"kind": "hand_over", "winner": dealer.left[0]})
    kind = dealer.sheet.streets[street][0]
    dealer.deal(case.rng.choice(("burn", "board" if kind == "board" else f"seat {dealer.left[0]}")))
    case.raised({"kind": "card_after_end", "card": len(dealer.dealt)})
    case.rule(len(dealer.sheet.streets))


def sixth_board_card(case: Case) -> None:
    _play_all_streets(case)
    dealer = case.dealer
    board, card = whole_board(dealer.sheet) + 1, len(dealer.dealt) + 1
    dealer.deal("board")
    case.raised(
        {"kind": "order_error", "card": card, "got": "board", "want": "none"},
        {"kind": "count_error", "place": "board", "got": board, "want": board - 1},
    )
    case.rule(len(dealer.sheet.streets))


def street_card_astray(case: Case) -> None:
    """A card of a street goes to another place than the one that is due: a community card to a player, a
    player's card to another one."""
    street = _play_to_a_street(case)
    dealer = case.dealer
    kind, cards = dealer.sheet.streets[street]
    dealer.deal("burn")
    before = case.rng.randrange(len(dealer.left) if kind == "each" else cards)
    due = [f"seat {seat}" for seat in dealer.left] if kind == "each" else ["board"] * cards
    for place in due[:before]:
        dealer.deal(place)
    case.calm()
    seats = [place for seat in dealer.order if (place := f"seat {seat}") != due[before]]
    got, card = case.rng.choice([*seats, "dealer"]), len(dealer.dealt) + 1
    dealer.deal(got)
    case.raised({"kind": "order_error", "card": card, "got": got, "want": due[before]}, also=ECHOES)
    dealer.felt.lay(dealer.tags[card - 1], due[before])  # it is put where it belongs at once
    case.calm(also=ECHOES)
    for place in due[before + 1 :]:
        dealer.deal(place)
    case.calm(also=ECHOES)
    case.rule(street + 1)


def _play_to_a_street(case: Case, closes_round: bool = True) -> int:
    """A hand up to a random street: the cards before it are dealt, the round before it is played."""
    dealer = case.dealer
    case.dealer.keeps = 2
    dealer.begin()
    dealer.deal_initial()
    street = case.rng.randrange(len(dealer.sheet.streets))
    for before in range(street):
        dealer.betting_round(is_first=before == 0)
        dealer.deal_street(before)
    dealer.betting_round(is_first=street == 0, closes=closes_round)
    case.calm()
    return street


def _play_all_streets(case: Case) -> None:
    case.dealer.keeps = 2
    case.dealer.begin()
    case.dealer.deal_initial()
    case.dealer.play_streets()
    case.calm()


def _rule_on(case: Case, street: int, want: Want) -> None:
    """A burn too few or too many: it stands, nothing is advised, the supervisor rules."""
    case.calm(also=ECHOES)
    case.stands(want, {"kind": "rule_text_missing", "topic": BURN_TEXTS[str(want["kind"])]})
    case.stands_none("misdeal_advised", "hand_void", "hand_dead", "refund_all")
    case.dealer.at_card = lambda number: None
    case.rule(street + 1)
