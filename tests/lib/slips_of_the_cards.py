"""Cards that are exposed, boxed, or none of the deck."""

from collections.abc import Callable

from deal_oracle import Want
from error_case import ECHOES, Case
from felt import JOKER_TAG, RED_TAG_OF, STRANGE_TAG, TAG_OF, TWIN_TAG_OF
from game_sheets import SHEETS, deal_plan
from slip_parts import begin, watch

CARD_OF = {tag: card for card, tag in TAG_OF.items()}


def exposed_card(case: Case) -> None:
    plan = begin(case)
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
    plan = begin(case)
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


def boxed_cards(case: Case) -> None:
    """One to four boxed cards are no defect by the text held, five are."""
    plan = begin(case)
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


def _down_cards(case: Case) -> int:
    """So many cards of the initial deal are meant to be face down."""
    up_passes = {SHEETS["five_card_stud"]: 1, SHEETS["seven_card_stud"]: 1}.get(case.dealer.sheet, 0)
    return (len(case.dealer.order) + case.dealer.sheet.to_dealer) * (case.dealer.sheet.passes - up_passes)


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
    plan = begin(case)
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
    at_its_card = watch(case, number, *wants, also=(*case.accompanying, "deck_at_risk"))

    def at_card(card: int) -> None:
        at_its_card(card)
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
