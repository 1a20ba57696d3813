"""Findings in words for the people at the table: what happened, which rule it touches, what can be done."""

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

_EQUIPMENT = {
    "cross_read": "One card is seen by two antennas; {where} reads a neighbour's card",
    "unread_card": "A card was not read at {where}: lift it and lay it down again",
    "unknown_tag": "A card with a tag that no deck knows lies at {where}: look at its back",
    "link_lost": "device {where} was lost during the hand: what happened meanwhile was not wholly seen",
    "joined_late": "the hand had begun before device {where} was watched: its deal is not judged",
    "deaf_antenna": "The antenna at {where} reads no card where one must lie: look at it and its plug",
    "device_fault": "device {where} reports a fault: have a technician look at it",
}

_UNKNOWN_IN_SHOE = (
    "The shoe read a tag that no deck knows: look at the card's back, and whether the shoe and the register "
    "have the same tags"
)

_DEFECTS = {
    "duplicate": "The deck is defective: {card} is in it twice",
    "missing": "The deck is defective: {card} was not seen in two scans",
    "foreign_deck": "A card of another deck was dealt: look at the back of {card}",
    "joker": "The deck is defective: a joker was dealt",
    "boxed": "The deck is defective: too many cards lay face up in it",
    "wrong_count": "The deck is defective: it has a wrong number of cards",
}

_REASONS = {
    "substantial_action": "two players have acted",
    "one_card": "only one card was exposed",
    "draw": "cards exposed in the draw are used in their turn",
    "corrected": "it was corrected",
    "one_player": "only one player has two cards face up",
    "pot_pushed": "the pot was pushed before it was found",
}

_TOPICS = {
    "missed_burn": "a missed burn",
    "extra_burn": "a burn too many",
    "single_exposed_card": "a single exposed card",
    "odd_chip_board_plays": "an odd chip when the board plays",
    "jackpot_order_between_tables": "the order of payment between tables",
    "stub_short": "a stub too short for the cards that come next",
    "no_shuffle_or_cut": "a deal without a shuffle or a cut",
    "exposed_in_cut": "a card exposed in the cut",
    "out_of_order": "a card out of order that is not the first",
    "wrong_seats": "a seat left out or dealt in wrongly",
    "wrong_count": "this wrong number of cards",
    "joker": "a joker that nobody has acted on",
}


def sentence(finding: AnyFinding) -> str:
    """One plain sentence; the rule's number stands in brackets where the profile names one."""
    text = _text(finding)
    rule = getattr(finding, "rule", None)
    return f"{text} ({rule})." if rule else f"{text}."


def _text(finding: AnyFinding) -> str:
    match finding:
        case OrderError(card=card, got=got, want="none"):
            return f"Card {card} went to {got}, where no card was due"
        case OrderError(card=card, got=got, want=want):
            return f"Card {card} went to {got}, it was due at {want}"
        case CountError(place=place, got=got, want=want):
            return f"{place.capitalize()} has {_cards(got)} instead of {want}"
        case DealtOut(seat=seat):
            return f"Seat {seat} was dealt out"
        case ExtraHand(seat=seat):
            return f"Seat {seat} is not in the hand and was dealt in"
        case MissingBurn(before_board=n):
            return f"No card was burned before community card {n}"
        case ExtraBurn(before_board=n):
            return f"A card too many was burned before community card {n}"
        case ExposedCard(card=None):
            return "A card was exposed"
        case ExposedCard(card=card):
            return f"Card {card} was exposed"
        case CardAfterEnd(card=card):
            return f"Card {card} was dealt after the hand was over"
        case BurnMoved(card=card):
            return f"Burned card {card} was put with the discards or back in play"
        case PrematureCard(card=card):
            return f"Card {card} was dealt while the betting round was open"
        case ButtonError(got=got, want=want):
            return f"The button lies at seat {got} and belongs at seat {want}"
        case DeckDefect(reason=reason, card=card):
            return _DEFECTS.get(reason, "The deck is defective").format(card=card or "a card")
        case Repairable(moves=moves):
            return f"It can be put right: {', '.join(_move(move) for move in moves)}; the supervisor decides"
        case _:
            return _state_text(finding)


def _state_text(finding: AnyFinding) -> str:
    match finding:
        case MisdealAdvised():
            return "The conditions for a misdeal hold: call the supervisor, who decides"
        case PotSplit(pot=pot, shares=shares):
            return f"Pot {pot} divides: {_shares(shares)}"
        case Jackpot(awards=awards, order=order, has_fraction=has_fraction):
            paid = f"The jackpot pays {_awards(awards)}"
            if len(order) > 1:
                paid += f", if the tables are paid in the order {', '.join(order)}"
            return paid + (", with fractions of a cent rounded" if has_fraction else "")
        case JackpotOrder(tables=tables, times=times):
            had = [f"{time} at table {table}" for table, time in zip(tables, times, strict=False)]
            read = f": last cards were read at {', '.join(had)}" if had else ""
            return f"The proposed order of payment is {', '.join(tables)}{read}; the supervisor decides"
        case NotMisdeal(why=why):
            return f"No misdeal: {_REASONS[why]}"
        case PlayOut(seats=None):
            return "The hand is played out"
        case PlayOut(seats=tuple() as seats, pot=pot):
            players = ", ".join(str(seat) for seat in seats)
            return f"The hand is played out by seats {players}" + (f" for {pot}" if pot else "")
        case HandVoid(seat=seat, refund=refund):
            money = f"{refund} goes" if refund is not None else "its wagers go"
            return f"The hand of seat {seat} is void and {money} back; the supervisor decides"
        case HandDead(seat=seat):
            return f"The hand of seat {seat} is dead and its money stays; the supervisor decides"
        case RefundAll():
            return "All wagers, forced bets and blinds go back; the supervisor decides"
        case ReshuffleRequired():
            return "A new shuffle and a new cut are due before the next card"
        case Restart(first=first, button=button):
            where = f", the button stays at seat {button}" if button else ""
            return f"The deal starts again with seat {first}{where}"
        case SubstantialAction(count=count, reached=reached):
            return f"{count} players have acted{', substantial action' if reached else ''}"
        case HandOver(winner=winner):
            return f"One player remains: seat {winner} wins the pot"
        case DealOk(cards=cards):
            return f"The deal is in order, {_cards(cards)}"
        case DeckAtRisk(hands=hands, last_proven_hand=proven):
            since = "it was never proven" if proven is None else f"it was last proven with hand {proven}"
            return f"Dealt from the defective deck: {_hands(hands)}; {since}"
        case DealTooRegular(pattern="repeat", in_hand=number, of_hand=other):
            return f"Hand {number} repeats the deal of hand {other}: look whether the deck was shuffled"
        case DealTooRegular(in_hand=number):
            return f"Hand {number} came in the order of a new deck: look whether the deck was shuffled"
        case RuleTextMissing(topic=topic):
            about = _TOPICS.get(topic, topic.replace("_", " "))
            return f"The rule text for {about} is not held: ask the supervisor"
        case LookAt(place=place):
            return (
                f"The readers do not say enough to be sure what to advise: lift the cards at {place} and lay "
                "them down again, or see on the recording when they came"
            )
        case Equipment(cause=cause, place=place, device=device):
            subject = device if cause in ("link_lost", "joined_late", "device_fault") else place
            if cause == "unknown_tag" and place is None:
                return _UNKNOWN_IN_SHOE
            text = _EQUIPMENT.get(cause, "Something is wrong at {where}: look at it").format(
                where=subject or "the shoe"
            )
            return text[0].upper() + text[1:]
        case _:
            raise TypeError(f"no wording for {type(finding).__name__}")


def _shares(shares: dict[str, str]) -> str:
    return ", ".join(f"{amount} to seat {seat}" for seat, amount in shares.items())


def _awards(awards: dict[str, str]) -> str:
    return ", ".join(f"{amount} to {_winner(who)}" for who, amount in awards.items())


def _winner(who: str) -> str:
    """`A:2` is seat 2 of table A."""
    table, _, seat = who.rpartition(":")
    return f"seat {seat} of table {table}" if table else f"seat {seat}"


def _hands(numbers: tuple[int, ...]) -> str:
    return f"hand {numbers[0]}" if len(numbers) == 1 else f"hands {', '.join(map(str, numbers))}"


def _move(move: str) -> str:
    card, _, place = move.partition(" -> ")
    return f"the next card to {place}" if card == "next" else f"card {card} to {place}"


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"
