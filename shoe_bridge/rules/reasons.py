"""Why a finding stands and what would have made it different, in one clause for each kind."""

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

Reason = tuple[str, str]  # because ..., unless ...

_DEFECTS = {
    "duplicate": ("two cards of one rank and suit were seen in one hand", "each card had been there once"),
    "missing": ("two full scans running did not see one card", "one of the scans had seen every card"),
    "foreign_deck": (
        "a tag of another registered deck was dealt",
        "only cards of the deck in use were dealt",
    ),
    "joker": ("a tag registered as a joker was dealt", "the jokers had been taken out of the deck"),
    "boxed": ("the boxed key was pressed once too often in one hand", "fewer cards had lain face up"),
    "wrong_count": ("a full scan saw more cards than the deck has", "each card had been there once"),
}
_NOT_MISDEAL = {
    "substantial_action": ("there has been substantial action since the deal", "fewer had acted by then"),
    "one_card": ("only one card of the initial deal was exposed", "a second one were exposed"),
    "draw": ("the card was exposed in the draw, not in the initial deal", "it had been in the initial deal"),
    "corrected": (
        "the deal went on to its end and nobody said that it cannot be corrected",
        "it could not be",
    ),
    "one_player": ("only one player has two cards face up", "a second player had"),
    "pot_pushed": ("the pot had been pushed before it was found", "it had been found before that"),
}
_EQUIPMENT = {
    "cross_read": ("one tag was read at two places at a time", "only one antenna had read it"),
    "unread_card": ("a card is known to be there and no antenna has read it", "its tag had been read"),
    "unknown_tag": ("the tag is in no registered deck", "the deck had been registered with it"),
    "link_lost": ("the device was not there while the hand was in play", "it had stayed connected"),
    "device_fault": ("the device says so itself", "it had reported no fault, or that it is over"),
    "deaf_antenna": ("no card was read there where one must lie", "the antenna had read the card"),
}


def _cards(count: int) -> str:
    return "1 card lies" if count == 1 else f"{count} cards lie"


def reason_of(finding: AnyFinding) -> Reason:
    """Two clauses without capital or full stop: why it stands; what would have made it different."""
    found = _of_the_deal(finding) or _of_the_table(finding) or _of_the_advice(finding)
    if found is None:
        raise TypeError(f"no reason for {type(finding).__name__}")
    return found


def _of_the_deal(finding: AnyFinding) -> Reason | None:
    match finding:
        case DealOk(cards=cards):
            return (
                f"each of the {cards} cards dealt lies where the order of the deal puts it",
                "one of them lay elsewhere",
            )
        case OrderError(card=card, got=got, want="none"):
            return f"no card was due when card {card} came to {got}", f"card {card} had stayed on the stub"
        case OrderError(card=card, got=got, want=want):
            return f"{want} was next when card {card} came to {got}", f"card {card} had come to {want}"
        case CountError(place=place, got=got, want=want):
            return f"{_cards(got)} at {place} where the deal gives {want}", f"it were {want}"
        case DealtOut(seat=seat):
            return (
                f"the deal was called complete and no card lies at seat {seat}, which is in the hand",
                f"seat {seat} had got its cards, or was marked out before the first card",
            )
        case ExtraHand(seat=seat):
            return (
                f"a card came to seat {seat}, which was not in the hand at the first card",
                f"seat {seat} had been marked in before the first card",
            )
        case MissingBurn(before_board=n):
            return (
                f"the card came before one had gone to the burn pile for card {n}",
                "a card had gone to the burn pile first",
            )
        case ExtraBurn(before_board=n):
            return (
                f"a card came to the burn pile where card {n} was next",
                "it had come to its place and not to the burn pile",
            )
        case ExposedCard():
            return "the exposed key was pressed, or the shoe saw its face", "nobody had seen its face"
        case CardAfterEnd(card=card):
            return (
                f"one player remained when card {card} left the stub",
                "two players had still been in the hand",
            )
        case BurnMoved(card=card):
            return (
                f"card {card} was seen elsewhere after it had lain on the burn pile",
                "it had stayed on the burn pile until the pot was pushed",
            )
        case PrematureCard(card=card):
            return (
                f"the betting round was open when card {card} left the stub",
                "the round had been closed before it",
            )
    return None


def _of_the_table(finding: AnyFinding) -> Reason | None:
    match finding:
        case ButtonError(got=got, want=want):
            return (
                f"the button was last said to lie at seat {got} and the hand before puts it at seat {want}",
                f"it had been moved to seat {want} before the first card",
            )
        case DeckDefect(reason=reason):
            return _DEFECTS.get(reason, ("the deck is not the one it must be", "it were"))
        case DeckAtRisk():
            return (
                "a defect was found, and these hands were dealt since each card was last seen in its place",
                "the deck had been proven in between",
            )
        case DealTooRegular(pattern="repeat"):
            return ("its cards came in the order of an earlier deal", "the deck had been shuffled well")
        case DealTooRegular():
            return (
                "its cards run in sequence of a suit, as in a new deck",
                "the deck had been shuffled well",
            )
        case SubstantialAction(count=count, reached=reached):
            so_far = "enough" if reached else "not yet enough"
            return f"{count} counted in turn since the initial deal, {so_far}", "another had acted in turn"
        case HandOver(winner=winner):
            return f"every seat but seat {winner} has left the hand", "a second player had stayed in it"
        case LookAt(place=place):
            return (
                f"the reads allow more than one deal, and these differ at {place}",
                f"the cards at {place} had been read sooner or more often",
            )
        case Equipment(cause=cause):
            return _EQUIPMENT.get(cause, ("the device did not do what it must", "it had done so"))
        case PotSplit():
            return (
                "these are the best hands of those who contest the pot, by the cards shown",
                "other cards had been shown, or others contested it",
            )
        case Jackpot():
            return (
                "these hands qualify, carry a jackpot wager and were not folded",
                "other hands had been shown or no wager had been locked in",
            )
        case JackpotOrder(tables=tables):
            return (
                f"the last card of a qualifying hand was read first at table {tables[0]}",
                "another table's had been read before it",
            )
    return None


def _of_the_advice(finding: AnyFinding) -> Reason | None:
    match finding:
        case Repairable():
            return (
                "each card concerned is located and unseen, and no seat concerned has acted",
                "one of them had been exposed, a seat concerned had acted, or the dealer cannot do it",
            )
        case MisdealAdvised():
            return "all that the rule asks for is so", "the deal had been put right or play had gone on"
        case ReshuffleRequired():
            return "the cards were seen or the hand was a misdeal", "the hand had been played on"
        case Restart(first=first):
            return (
                f"a misdeal is no concluded hand and seat {first} was due its first card",
                "a hand was over",
            )
        case NotMisdeal(why=why):
            return _NOT_MISDEAL[why]
        case PlayOut():
            return (
                "no misdeal can be declared any more, or the supervisor ruled so",
                "it had been noticed before substantial action",
            )
        case HandVoid(seat=seat):
            return (
                f"seat {seat} has a wrong number of cards and had not acted when it was found",
                f"seat {seat} had the right number of cards, or had acted",
            )
        case HandDead(seat=seat):
            return (
                f"seat {seat} acted on, or is left with, a hand that is wrong",
                f"seat {seat} had a right hand, or had not acted",
            )
        case RefundAll():
            return "the hand cannot count, by the rule", "the pot had been pushed before it was found"
        case RuleTextMissing(topic=topic):
            about = topic.replace("_", " ")
            return f"the profile holds no text for it ({about})", "the text of the rule were held"
    return None
