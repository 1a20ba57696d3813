"""Errors before the first card: the shuffle, the cut, the button."""

from deal_oracle import Want, first_slip
from error_case import ECHOES, Case
from game_sheets import clockwise, deal_plan


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
