"""The games, one TOML file each in `rules/games`; a new game or a house's variation is a file.

    [table]
    game = "holdem"              # one of this build, or "house.toml", relative to the configuration

A variation `extends` a game and says what differs; the rules of that game go on applying to it. Sources:
NZ Gazette 1999 No. 11, division 13. Held: 15.1(d), 15.3(a), 15.4(a) for manila3; 14.3(a), 14.4(a) for
manila2, but not its number of hole cards; 16.1(b) for the button. The other deals follow common practice;
each file says so in its `status`.
"""

from collections.abc import Collection, Iterator
from functools import cache
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from shoe_bridge.rules.files import Source, names_in, read_source, refuse_in
from shoe_bridge.table.procedures import (
    DRAW,
    TO_BOARD,
    Face,
    Procedure,
    Status,
    Street,
    Target,
    cards_needed,
    cards_of_deal,
)
from shoe_bridge.toml_file import GAME, fit, refuse_foreign
from shoe_bridge.toml_schema import Complaint, near_miss, shown

__all__ = ["cards_needed", "game_names", "open_game"]

_FOLDER = "games"
_WHAT = "game"
Count = Annotated[int, Meta(ge=1, le=10)]
GameName = Annotated[
    str, Meta(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$", description="a name of small letters, digits, - and _")
]
_EXAMPLES = {
    "game": 'such as game = "holdem"',
    "passes": "how often the initial deal goes round, such as passes = 2",
    "faces": 'one face for each pass, such as faces = ["down", "down"]',
    "betting_rounds": "such as betting_rounds = 4",
    "burn": "burn = true or false",
    "cards": "such as cards = 1",
    "target": 'target = "board", "each" or "draw"',
}


class StreetFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[[street]]`, as `table.procedures.Street`."""

    burn: bool
    cards: Annotated[int, Meta(ge=0, le=10)]
    target: Target
    face: Face = "up"
    rule: str | None = None
    draw_limit: Count | None = None


class GameFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game file. `faces`: up or down for each pass; `recipients`: who is dealt to; `board_with_deal`: the
    first street belongs to the initial deal; `hole_used`: how many hole cards a hand must use (left out:
    any); `decks`: make-ups by their number of cards, the usual one first."""

    game: GameName
    title: str
    status: Status
    passes: Count
    faces: tuple[Face, ...]
    betting_rounds: Annotated[int, Meta(ge=0, le=20)]
    section: str = ""
    family: Literal["poker", "caribbean"] = "poker"
    recipients: tuple[Literal["seats", "dealer"], ...] = ("seats",)
    button: bool = True
    board_with_deal: bool = False
    hole_used: Count | None = None
    decks: tuple[Annotated[int, Meta(ge=1, le=104)], ...] = (52,)
    seats_least: Count = 2
    seats_most: Count = 10
    street: tuple[StreetFile, ...] = ()


def game_names() -> tuple[str, ...]:
    """The games that come with this build."""
    return names_in(_FOLDER)


def open_game(name: str, rules: Collection[str] | None = None) -> Procedure:
    """The game of that name, or of the file at that path. `rules` are the rule numbers that its streets may
    quote (None: not checked). ConfigError with file, line and reason for a file that cannot be dealt from."""
    if rules is None and name in game_names():
        return _built_in(name)
    source = read_source(name, _FOLDER, _WHAT)
    refuse_foreign(source.document, source.path, GAME)
    game = fit(source.document, GameFile, source.text, source.path, _EXAMPLES)
    refuse_in(source, [*_complaints(game, source), *_rule_complaints(game, rules)])
    return _procedure(game, source)


@cache
def _built_in(name: str) -> Procedure:
    source = read_source(name, _FOLDER, _WHAT)
    game = fit(source.document, GameFile, source.text, source.path, _EXAMPLES)
    refuse_in(source, list(_complaints(game, source)))
    return _procedure(game, source)


def _procedure(game: GameFile, source: Source) -> Procedure:
    below = [name for name in source.bases if name != game.game]
    return Procedure(
        game=game.game,
        section=game.section,
        passes=game.passes,
        streets=tuple(
            Street(each.burn, each.cards, each.rule, each.target, each.face, each.draw_limit)
            for each in game.street
        ),
        with_deal=game.board_with_deal,
        uses_hole=game.hole_used,
        has_button=game.button,
        to_dealer="dealer" in game.recipients,
        family=game.family,
        up_passes=tuple(n for n, face in enumerate(game.faces, start=1) if face == "up"),
        plays_as=below[-1] if below else "",
        title=game.title,
        status=game.status,
        decks=game.decks,
        deck_cards=game.decks[0],
        seats_least=game.seats_least,
        seats_most=game.seats_most,
        betting_rounds=game.betting_rounds,
    )


def _complaints(game: GameFile, source: Source) -> Iterator[Complaint]:
    """What contradicts itself in a file whose every value fits its type."""
    if not source.is_built_in and game.game in game_names():
        yield Complaint(
            ("game",), f"{shown(game.game)} is a game of this build, expected a name of the house's own"
        )
    if len(game.faces) != game.passes:
        yield Complaint(
            ("faces",), f"faces has {len(game.faces)} for {game.passes} passes, expected one each"
        )
    if "seats" not in game.recipients or len(set(game.recipients)) != len(game.recipients):
        yield Complaint(("recipients",), "recipients names the seats once, and the dealer if he has a hand")
    if game.seats_least > game.seats_most:
        yield Complaint(
            ("seats_least",),
            f"seats_least is {game.seats_least}, expected at most {game.seats_most} (seats_most)",
        )
    for number, size in enumerate(game.decks):
        if size in game.decks[:number]:
            yield Complaint(("decks", number), f"decks names {size} cards twice, expected each make-up once")
    yield from _street_complaints(game)
    yield from _deck_complaints(game, source)


def _street_complaints(game: GameFile) -> Iterator[Complaint]:
    for number, street in enumerate(game.street):
        path: tuple[str | int, ...] = ("street", number)
        if (street.cards == 0) != (street.target == DRAW):
            expected = "0 in a draw" if street.target == DRAW else "1 or more"
            yield Complaint((*path, "cards"), f"cards is {street.cards}, expected {expected}")
        if street.draw_limit is not None and street.target != DRAW:
            yield Complaint((*path, "draw_limit"), 'draw_limit is for target = "draw" only')
        elif street.draw_limit is not None and street.draw_limit > game.passes:
            yield Complaint(
                (*path, "draw_limit"),
                f"draw_limit is {street.draw_limit}, expected at most the {game.passes} cards of a hand",
            )
        if street.target == TO_BOARD and street.face == "down":
            yield Complaint((*path, "face"), "community cards lie face up, expected no face here")
    if game.board_with_deal and (not game.street or game.street[0].target != TO_BOARD):
        yield Complaint(
            ("board_with_deal",), 'board_with_deal needs a first [[street]] with target = "board"'
        )
    most = len(game.street) + (0 if game.board_with_deal else 1)
    if game.betting_rounds not in (0, most):
        yield Complaint(
            ("betting_rounds",),
            f"betting_rounds is {game.betting_rounds}, expected {most} (one a part of the deal) or 0",
        )
    board = sum(street.cards for street in game.street if street.target == TO_BOARD)
    if game.hole_used is not None and (game.hole_used > game.passes or game.hole_used + board < 5):
        yield Complaint(
            ("hole_used",),
            f"hole_used is {game.hole_used}, expected at most {game.passes} and with {board} community cards"
            " enough for a hand of 5",
        )


def _deck_complaints(game: GameFile, source: Source) -> Iterator[Complaint]:
    """Whether the smallest make-up serves the fewest seats, and each full table its initial deal."""
    dealt = _procedure(game, source)
    needed, smallest = cards_needed(dealt, game.seats_least), min(game.decks)
    if needed > smallest:
        yield Complaint(
            ("decks",),
            f"decks has one of {smallest} cards, expected at least the {needed} that {game.seats_least} seats"
            " need to the end of a hand",
        )
        return
    largest = max(game.decks)
    if cards_of_deal(dealt, game.seats_most) > largest:
        yield Complaint(
            ("seats_most",),
            f"seats_most is {game.seats_most}, expected so few that {largest} cards do for the initial deal",
        )


def _rule_complaints(game: GameFile, rules: Collection[str] | None) -> Iterator[Complaint]:
    for number, street in enumerate(game.street):
        if rules is not None and street.rule is not None and street.rule not in rules:
            yield Complaint(
                ("street", number, "rule"),
                f"rule {shown(street.rule)} is in no profile{near_miss(street.rule, rules)}",
            )
