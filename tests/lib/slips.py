"""The errors that a dealer, a player or a deck can make: one function each, which plays the hand up to and
past its error at a random place, demands what must be said at that very card, and has it settled.

Each takes a `Case` whose hand has not begun. A table is chosen for the error by `FITS`.
"""

from collections.abc import Callable
from typing import NamedTuple

from deal_oracle import Want, first_slip, verdict
from error_case import ECHOES, Case
from felt import JOKER_TAG, RED_TAG_OF, STRANGE_TAG, TAG_OF, TWIN_TAG_OF
from game_sheets import SHEETS, Sheet, board_before, clockwise, deal_plan, whole_board

CARD_OF = {tag: card for card, tag in TAG_OF.items()}
BURN_TEXTS = {"missing_burn": "missed_burn", "extra_burn": "extra_burn"}


# -- the initial deal


def wrong_seat(case: Case) -> None:
    """One card goes to another player, the next ones where they belong."""
    plan = _begin(case)
    at = case.rng.randrange(_hole_cards(case))
    others = [place for place in set(plan) - {"board", "dealer"} if place != plan[at]]
    places = list(plan)
    places[at] = case.rng.choice(sorted(others))
    _misdealt(case, plan, places)


def skipped_seat(case: Case) -> None:
    """The dealer passes over a seat once; all that follow are shifted, the last one is short."""
    plan = _begin(case)
    at = case.rng.randrange(_hole_cards(case) - 1)
    _misdealt(case, plan, plan[:at] + plan[at + 1 :])


def swap(case: Case) -> None:
    plan = _begin(case)
    at = case.rng.randrange(_hole_cards(case) - 1)
    places = [*plan[:at], plan[at + 1], plan[at], *plan[at + 2 :]]
    _misdealt(case, plan, places)


def swap_of_exposed(case: Case) -> None:
    """One of the swapped cards has been exposed: it cannot be moved any more."""
    plan = _begin(case)
    at = case.rng.randrange(_hole_cards(case) - 1)
    places = [*plan[:at], plan[at + 1], plan[at], *plan[at + 2 :]]
    _misdealt(case, plan, places, exposed=at + 1 + case.rng.randrange(2))


def double(case: Case) -> None:
    """Two cards in a row to one seat; the last card of the deal is one too many."""
    plan = _begin(case)
    at = case.rng.randrange(_hole_cards(case))
    _misdealt(case, plan, [*plan[: at + 1], *plan[at:]])


def dealt_out(case: Case) -> None:
    plan = _begin(case)
    seat = f"seat {case.rng.choice(case.dealer.order)}"
    _misdealt(case, plan, [place for place in plan if place != seat])


def extra_hand(case: Case) -> None:
    """A seat that is not in the hand is dealt in, from the first pass on or from the second."""
    plan = _begin(case)
    dealer = case.dealer
    seat = case.rng.choice([seat for seat in range(1, 11) if seat not in dealer.seated])
    order = clockwise([*dealer.order, seat], dealer.button)
    once = [*(f"seat {each}" for each in order), *(["dealer"] if dealer.sheet.to_dealer else [])]
    sheet = dealer.sheet
    own = [place for place in once if place != f"seat {seat}"]
    first_pass = own if case.rng.random() < 0.5 else once
    places = first_pass + once * (sheet.passes - 1) + ["board"] * sheet.opening_board
    _misdealt(case, plan, places)


def count_short(case: Case) -> None:
    """The deal is called complete before its last card, or before several."""
    plan = _begin(case)
    hole = _hole_cards(case)
    missing = case.rng.randint(1, len(case.dealer.order) - 1)
    _misdealt(case, plan, plan[: hole - missing] + plan[hole:])


def count_over(case: Case) -> None:
    """A card too many after the last."""
    plan = _begin(case)
    seat = f"seat {case.rng.choice(case.dealer.order)}"
    hole = _hole_cards(case)
    _misdealt(case, plan, [*plan[:hole], seat, *plan[hole:]])


def early_board_card(case: Case) -> None:
    """A community card or a burn in the middle of the initial deal, which goes on with the seat that was due
    or the one after it."""
    case.may_follow.add("count_error")  # a board of one card too many, if it is played on with
    _stray(case, case.rng.choice(("board", "burn")))


def card_to_dealer(case: Case) -> None:
    _stray(case, "dealer")


# -- burns and streets


def missing_burn(case: Case) -> None:
    street = _play_to_a_street(case)
    sheet, dealer = case.dealer.sheet, case.dealer
    want: Want = {"kind": "missing_burn"}
    if sheet.streets[street][0] == "board":
        want["before_board"] = board_before(sheet, street) + 1
    card = len(dealer.dealt) + 1
    dealer.at_card = _watch(case, card, want, also=("rule_text_missing",))
    dealer.deal_cards_of(street)
    _rule_on(case, street, want)


def extra_burn(case: Case) -> None:
    street = _play_to_a_street(case)
    sheet, dealer = case.dealer.sheet, case.dealer
    want: Want = {"kind": "extra_burn"}
    if sheet.streets[street][0] == "board":
        want["before_board"] = board_before(sheet, street) + 1
    dealer.at_card = _watch(case, len(dealer.dealt) + 2, want, also=("rule_text_missing",))
    dealer.deal("burn")
    dealer.deal_street(street)
    _rule_on(case, street, want)


def burn_before_first_board(case: Case) -> None:
    """No burn is prescribed before the community card that closes the initial deal (15.1(d), reading A6)."""
    plan = _begin(case)
    hole = _hole_cards(case)
    want: Want = {"kind": "extra_burn", "before_board": 1}
    case.dealer.at_card = _watch(case, hole + 1, want, also=("rule_text_missing",))
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
    dealer.at_card = _watch(case, card, want, also=("rule_text_missing",))
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


# -- exposed and boxed cards


def exposed_card(case: Case) -> None:
    plan = _begin(case)
    number = case.rng.randint(1, _down_cards(case))
    for index, place in enumerate(plan, start=1):
        case.dealer.deal(place)
        if index == number:
            case.calm()
            case.dealer.felt.press("exposed")
            case.raised(*_of_one_exposed(case), also=("exposed_card", "not_misdeal", "rule_text_missing"))
    case.dealer.end_deal()
    case.calm(also=("not_misdeal",))
    case.stands_none("misdeal_advised", "repairable")
    case.rule(0)


def two_exposed_in_draw(case: Case) -> None:
    plan = _begin(case)
    numbers = sorted(case.rng.sample(range(1, len(plan) + 1), 2))
    for index, place in enumerate(plan, start=1):
        case.dealer.deal(place)
        if index in numbers:
            case.dealer.felt.press("exposed")
        if index < numbers[1]:
            case.calm(also=("exposed_card", "not_misdeal", "rule_text_missing"))
        elif index == numbers[1]:
            case.raised({"kind": "misdeal_advised", "rule": "19.1(i)"}, also=("exposed_card", *ECHOES))
    case.dealer.end_deal()
    case.rule(0)


def exposed_in_the_cut(case: Case) -> None:
    """All must be shuffled and cut again, whether a misdeal is declared or not."""
    dealer = case.dealer
    if not dealer.open_hand():
        dealer.felt.press("shuffle")
    dealer.felt.press("cut begin")
    case.calm()
    dealer.felt.press("exposed")
    rule = {"rule": "19.1(a)"}
    case.raised(
        {"kind": "misdeal_advised", **rule},
        {"kind": "reshuffle_required", **rule},
        also=("exposed_card", *ECHOES),
    )
    if case.rng.random() < 0.5:
        case.misdeal()
        return
    dealer.prepare()
    dealer.post_blinds()
    case.calm()
    case.stands_none("misdeal_advised", "reshuffle_required")
    dealer.deal_initial()
    dealer.play_streets()
    dealer.finish()
    dealer.felt.press("acknowledge")
    case.must_be_clean()


def boxed_cards(case: Case) -> None:
    """One to four boxed cards are no defect by the text held, five are."""
    plan = _begin(case)
    count = case.rng.randint(1, min(6, len(plan)))
    after = sorted(case.rng.sample(range(1, len(plan) + 1), count))
    for index, place in enumerate(plan, start=1):
        case.dealer.deal(place)
        case.calm()
        if index not in after:
            continue
        case.dealer.felt.press("boxed")
        so_far = after.index(index) + 1
        if so_far == 1:
            topic = "boxed_card" if case.dealer.sheet.is_poker else "caribbean_irregularity"
            case.raised({"kind": "rule_text_missing", "topic": topic})
        elif so_far == 5:
            case.raised({"kind": "deck_defect", "reason": "boxed"}, *_refund(case), also=ECHOES)
        else:
            case.calm(also=("rule_text_missing",))
    if count < 5:
        case.stands_none("deck_defect", "refund_all")
    case.dealer.end_deal()
    case.rule(0)


# -- the deck


def joker(case: Case) -> None:
    number = _random_card(case)
    case.dealer.odd_cards = {number: JOKER_TAG}
    _deal_odd_card(case, number, {"kind": "deck_defect", "reason": "joker"}, *_refund(case))


def duplicate(case: Case) -> None:
    """A second tag of a card that has been dealt to another place; at the same one they might be two tags on
    one card."""
    number = _random_card(case, first=2)
    dealer = case.dealer
    plan = deal_plan(dealer.sheet, dealer.order)

    def second_of_it(card: int) -> None:
        if card == number - 1:
            comes_to = (plan[card],) if card < len(plan) else ("board", "burn")
            dealt = zip(dealer.tags, dealer.dealt, strict=True)
            elsewhere = [tag for tag, place in dealt if place not in comes_to]
            dealer.odd_cards = {number: TWIN_TAG_OF[CARD_OF[case.rng.choice(elsewhere)]]}

    _deal_odd_card(
        case, number, {"kind": "deck_defect", "reason": "duplicate"}, *_refund(case), before=second_of_it
    )


def foreign_deck(case: Case) -> None:
    """Known by its tag, and for certain only when somebody has looked at its back."""
    number = _random_card(case)
    card = CARD_OF[case.dealer.deck[-number]]  # in the place of its own twin, or it would be a duplicate too
    case.dealer.odd_cards = {number: RED_TAG_OF[card]}
    _deal_odd_card(case, number, {"kind": "deck_defect", "reason": "foreign_deck", "card": card}, rules=False)
    case.stands_none("refund_all")
    case.dealer.felt.press("notice")
    case.raised(*_refund(case))
    case.rule(len(case.dealer.sheet.streets))


def unknown_tag(case: Case) -> None:
    number = _random_card(case)
    case.dealer.odd_cards = {number: STRANGE_TAG}
    _deal_odd_card(case, number, {"kind": "equipment", "cause": "unknown_tag"}, rules=False)
    case.stands_none("deck_defect", "refund_all", "misdeal_advised")
    case.play_on(len(case.dealer.sheet.streets))
    case.dealer.felt.press("acknowledge")


# -- before the deal


def button_not_moved(case: Case) -> None:
    """The button stays where it was, or goes a place too far; the deal follows it, or the rule."""
    dealer = case.dealer
    case.clean_hand()
    dealer.gather()
    dealer.number += 1
    dealer.felt.press("next hand")
    lies = dealer.button
    due = clockwise(dealer.seated, lies)[0]
    if case.rng.random() < 0.5:
        lies = clockwise(dealer.seated, due)[0]
        dealer.felt.enter("button", lies)
        if lies == dealer.button:  # of two players: a full circle, and so not moved
            case.calm()
    dealer.button = due
    dealer.prepare()
    dealer.post_blinds()
    case.calm()
    plan = deal_plan(dealer.sheet, dealer.order)
    follows_button = case.rng.random() < 0.5
    places = deal_plan(dealer.sheet, clockwise(dealer.seated, lies)) if follows_button else plan
    wants: list[Want] = [{"kind": "button_error", "got": lies, "want": due}]
    slip = first_slip(dealer.sheet, dealer.order, places)
    if slip is not None:
        wants.append(slip.finding)
    dealer.deal(places[0])
    case.raised(*wants)
    for place in places[1:]:
        dealer.deal(place)
    dealer.end_deal()
    case.calm(also=ECHOES)
    case.stands(wants[0])
    if case.rng.random() < 0.5:
        dealer.felt.enter("button", due)
        case.calm(also=ECHOES)
    else:
        case.play_on(0)
        dealer.felt.enter("button", due)
        return
    dealer.felt.press("supervisor play on")
    case.calm(also=ECHOES)
    dealer.play_streets()
    dealer.finish()
    case.calm(also=ECHOES)


def not_shuffled(case: Case) -> None:
    _unprepared(case, ("cut",))


def not_cut(case: Case) -> None:
    _unprepared(case, ("shuffle",))


def neither_shuffled_nor_cut(case: Case) -> None:
    """Gathering and dealing look alike there, so that it is said when the deal is called complete."""
    _unprepared(case, ())


# -- the parts that the errors share


def _begin(case: Case) -> list[str]:
    """A hand up to its first card; where its cards belong."""
    case.dealer.begin()
    case.calm()
    return deal_plan(case.dealer.sheet, case.dealer.order)


def _hole_cards(case: Case) -> int:
    sheet = case.dealer.sheet
    return (len(case.dealer.order) + sheet.to_dealer) * sheet.passes


def _down_cards(case: Case) -> int:
    """So many cards of the initial deal are meant to be face down."""
    up_passes = {SHEETS["five_card_stud"]: 1, SHEETS["seven_card_stud"]: 1}.get(case.dealer.sheet, 0)
    return (len(case.dealer.order) + case.dealer.sheet.to_dealer) * (case.dealer.sheet.passes - up_passes)


def _stray(case: Case, place: str) -> None:
    """One card of the initial deal goes to `place`; the dealer gives the seat its card after it, or not."""
    plan = _begin(case)
    spots = [index for index, due in enumerate(plan[: _hole_cards(case)]) if due != place]
    at = case.rng.choice(spots)
    rest = plan[at:] if case.rng.random() < 0.5 else plan[at + 1 :]
    _misdealt(case, plan, [*plan[:at], place, *rest])


def _misdealt(case: Case, plan: list[str], places: list[str], exposed: int | None = None) -> None:
    """Deal these places instead of the plan, and settle it. `exposed`: that card was seen by the table."""
    sheet, order = case.dealer.sheet, case.dealer.order
    slip = first_slip(sheet, order, places)
    found = verdict(sheet, order, places)
    if slip is None:
        case.deal_places(places, len(places) + 1)
    else:
        case.deal_places(places, slip.card, slip.finding)
    if exposed is not None:
        case.dealer.felt.enter("exposed", exposed)
        case.calm(also=ECHOES)
    case.end_deal(found, can_be_moved=exposed is None)
    if exposed is not None:
        case.rule(0)
    else:
        case.settle(found, plan)


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


def _watch(case: Case, card: int, *wants: Want, also: tuple[str, ...] = ()) -> Callable[[int], None]:
    """To be called at each card: calm before `card`, `wants` at it, and only its echoes after it."""

    def at_card(number: int) -> None:
        if number < card:
            case.calm()
        elif number == card:
            case.raised(*wants, also=also)
        else:
            case.calm(also=ECHOES)

    return at_card


def _rule_on(case: Case, street: int, want: Want) -> None:
    """A burn too few or too many: it stands, nothing is advised, the supervisor rules."""
    case.calm(also=ECHOES)
    case.stands(want, {"kind": "rule_text_missing", "topic": BURN_TEXTS[str(want["kind"])]})
    case.stands_none("misdeal_advised", "hand_void", "hand_dead", "refund_all")
    case.dealer.at_card = lambda number: None
    case.rule(street + 1)


def _of_one_exposed(case: Case) -> list[Want]:
    sheet = case.dealer.sheet
    if not sheet.is_poker:
        return [{"kind": "rule_text_missing", "topic": "caribbean_irregularity"}]
    if sheet == SHEETS["five_card_stud"]:
        return [{"kind": "not_misdeal", "rule": "19.1(k)", "why": "one_player"}]
    wants: list[Want] = [{"kind": "rule_text_missing", "topic": "single_exposed_card"}]
    if sheet == SHEETS["draw"]:
        wants.append({"kind": "not_misdeal", "rule": "19.1(i)", "why": "one_card"})
    return wants


def _refund(case: Case) -> list[Want]:
    return [{"kind": "refund_all", "rule": "19.1(h)"}] if case.dealer.sheet.is_poker else []


def _random_card(case: Case, first: int = 1) -> int:
    """The hand is begun, and one of its cards chosen: of the initial deal, or of the streets."""
    plan = _begin(case)
    sheet = case.dealer.sheet
    later = sum(1 + cards for kind, cards in sheet.streets if kind == "board")
    return case.rng.randint(first, len(plan) + later)


def _deal_odd_card(
    case: Case,
    number: int,
    *wants: Want,
    before: Callable[[int], None] = lambda number: None,
    rules: bool = True,
) -> None:
    """The whole hand with an odd card as its `number`-th; then, with `rules`, the supervisor's ruling."""
    dealer = case.dealer
    watch = _watch(case, number, *wants, also=(*case.accompanying, "deck_at_risk"))

    def at_card(card: int) -> None:
        watch(card)
        before(card)

    dealer.at_card, dealer.keeps = at_card, 2
    before(0)
    dealer.deal_initial()
    dealer.play_streets()
    case.calm()
    case.stands(*wants)
    dealer.at_card = lambda card: None
    if rules:
        case.rule(len(dealer.sheet.streets))


def _unprepared(case: Case, keys: tuple[str, ...]) -> None:
    """Before the deal only these keys are pressed, after the one for the next hand."""
    dealer = case.dealer
    case.clean_hand()
    dealer.gather()
    dealer.number += 1
    dealer.felt.press("next hand")
    dealer.move_button()
    dealer.prepare(keys)
    dealer.post_blinds()
    case.calm()
    plan = deal_plan(dealer.sheet, dealer.order)
    want: Want = {"kind": "misdeal_advised", "rule": "19.1(b)"}
    case.deal_places(plan[:1], 1, *([want] if keys else []))
    for place in plan[1:]:
        dealer.deal(place)
    dealer.end_deal()
    case.calm(also=("misdeal_advised",))
    case.stands(want)
    if case.rng.random() < 0.3:
        for seat in [dealer.turn, clockwise(dealer.order, dealer.turn)[0]]:
            dealer.act(seat, "call", 200)
        case.calm(also=("play_out",))
        case.stands({"kind": "play_out", "rule": "19.1(b)"})
        case.stands_none("misdeal_advised")
        case.play_on(0)
    else:
        case.rule(0)


class Fit(NamedTuple):
    """On which tables an error can be made."""

    least_seats: int = 2
    games: Callable[[Sheet], bool] = lambda sheet: True
    tracks_button: bool | None = None
    needs_next_key: bool = False
    leaves_empty: bool = False


def _has_board(sheet: Sheet) -> bool:
    return whole_board(sheet) > 0


def _has_streets(sheet: Sheet) -> bool:
    return bool(sheet.streets)


def _has_fixed_streets(sheet: Sheet) -> bool:
    return any(kind != "draw" for kind, _ in sheet.streets)


def _is_poker(sheet: Sheet) -> bool:
    return sheet.is_poker


def _is_draw(sheet: Sheet) -> bool:
    return sheet == SHEETS["draw"]


SLIPS: dict[str, tuple[Callable[[Case], None], Fit]] = {
    "wrong_seat": (wrong_seat, Fit()),
    "skipped_seat": (skipped_seat, Fit()),
    "swap": (swap, Fit()),
    "swap_of_exposed": (swap_of_exposed, Fit(games=_is_poker)),
    "double": (double, Fit()),
    "dealt_out": (dealt_out, Fit(least_seats=3)),
    "extra_hand": (extra_hand, Fit(leaves_empty=True)),
    "count_short": (count_short, Fit()),
    "count_over": (count_over, Fit()),
    "early_board_card": (early_board_card, Fit()),
    "card_to_dealer": (card_to_dealer, Fit()),
    "missing_burn": (missing_burn, Fit(games=_has_streets)),
    "extra_burn": (extra_burn, Fit(games=_has_streets)),
    "burn_before_first_board": (burn_before_first_board, Fit(games=lambda sheet: sheet.opening_board > 0)),
    "burn_moved": (burn_moved, Fit(games=_has_streets)),
    "premature_card": (premature_card, Fit(games=_has_streets)),
    "card_after_end": (card_after_end, Fit(games=_has_streets)),
    "sixth_board_card": (sixth_board_card, Fit(games=_has_board)),
    "street_card_astray": (street_card_astray, Fit(games=_has_fixed_streets)),
    "exposed_card": (exposed_card, Fit()),
    "two_exposed_in_draw": (two_exposed_in_draw, Fit(games=_is_draw)),
    "exposed_in_the_cut": (exposed_in_the_cut, Fit(games=_is_poker)),
    "boxed_cards": (boxed_cards, Fit()),
    "joker": (joker, Fit()),
    "duplicate": (duplicate, Fit()),
    "foreign_deck": (foreign_deck, Fit()),
    "unknown_tag": (unknown_tag, Fit()),
    "button_not_moved": (
        button_not_moved,
        Fit(games=lambda sheet: sheet.has_button, tracks_button=True, needs_next_key=True),
    ),
    "not_shuffled": (not_shuffled, Fit(games=_is_poker, needs_next_key=True)),
    "not_cut": (not_cut, Fit(games=_is_poker, needs_next_key=True)),
    "neither_shuffled_nor_cut": (neither_shuffled_nor_cut, Fit(games=_is_poker, needs_next_key=True)),
}
