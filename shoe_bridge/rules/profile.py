"""What a rule profile says, as types: rules, which of them a finding touches, readings, and the checks.

A profile is a file (`rules/profiles`); nothing in the code knows a rule's number. `settings` choose between
readings of one text, `checks` say which irregularities the profile speaks of and from where on each counts.
What a profile is silent about has no check, and the bridge says that its text is not held.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from shoe_bridge.table.procedures import Status

Text = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=1, le=60)]
CountOrNever = Annotated[int, Meta(ge=0, le=60)]
DefectReason = Literal["duplicate", "missing", "foreign_deck", "joker", "boxed", "wrong_count"]


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One rule in our words. `status`: held, follows, inferred, missing. `games`: those it is about (left
    out: all of the profile's poker games). `when` is its condition, `then` its consequence, `says` both in
    one phrase for the screen, `unless` what would have made it different. `stands_in_for`: a topic or a rule
    whose text is not held, of which this one is a stand-in from another book. `source`: where it stands."""

    status: Status
    says: str | None = None
    when: str | None = None
    then: str | None = None
    unless: str | None = None
    games: tuple[Text, ...] = ()
    stands_in_for: str | None = None
    source: str | None = None


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How an ambiguous point is read. `switches`: the settings that follow another reading instead."""

    point: Text
    reading: Text
    switches: tuple[Text, ...] = ()


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The readings that can be switched.

    Substantial action is reached by so many different players who acted in turn (`action_players`), so many
    actions in turn (`action_count`), or so many with chips in at least one of them (`action_count_chips`);
    0: not that way. The others are named after what they decide.
    """

    action_players: CountOrNever = 2
    action_count: CountOrNever = 0
    action_count_chips: CountOrNever = 0
    forced_bets_count: bool = False
    counts_put_right_first: bool = True
    early_actor: Literal["misdeal", "dead"] = "misdeal"
    burn_before_first_board: bool = False
    missed_burn_is_out_of_order: bool = False
    odd_chip_order: Literal["rank_first", "suit_first"] = "rank_first"
    odd_chip_board_plays: Literal["not_held", "highest_hole_card"] = "not_held"
    cent_fractions: Literal["nearest", "down", "up"] = "nearest"
    last_player_needs_showdown: bool = False
    exposed_after_action: Literal["alert", "play_out"] = "alert"


class Check(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An irregularity of which the profile speaks, by the rule that does."""

    rule: Text


class OrderCheck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Dealt out of order. `first_card_only`: no more than a first card at the wrong seat is a misdeal;
    `may_double_button`: two cards running to the button are fine; `may_put_right`: it is none while it can
    be put right."""

    rule: Text
    may_put_right: bool = True
    first_card_only: bool = False
    may_double_button: bool = False


class SeatsCheck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A player left out, or a seat dealt in that is not in the hand."""

    rule: Text
    may_put_right: bool = True


class CountCheck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A wrong number of cards. `later_rule` takes over once somebody has acted, `last_rule` for the last
    player left. `extra_cards`: so many too many make a misdeal (0: any wrong number does). `is_void_or_dead`:
    after substantial action the hand is, else it is only said that no text is held. `button_rule`: a button
    that is short may be completed, dead if it has acted."""

    rule: Text
    may_put_right: bool = True
    later_rule: Text | None = None
    last_rule: Text | None = None
    extra_cards: CountOrNever = 0
    is_void_or_dead: bool = False
    button_rule: Text | None = None


class DefectCheck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The deck is found defective: for these reasons all money goes back. `boxed_cards`: so many boxed cards
    make a deck defective (0: they do not). `joker_rule`: the hand that acted on a joker is dead."""

    rule: Text
    reasons: tuple[DefectReason, ...]
    boxed_cards: CountOrNever = 0
    joker_rule: Text | None = None


class BoxedCheck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """So many boxed cards in the initial deal are a misdeal."""

    rule: Text
    cards: Count


class ExposedCheck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Exposed cards in these games. A misdeal: so many of the initial deal (`cards`), one of the first so
    many off the deck (`first_cards`), one of the first so many passes (`first_passes`), or cards of the first
    pass at so many players (`players`); 0: not that way. `one_is_none`: a single one is none.
    `uncorrected_rule`: one that the dealer cannot correct. `is_used_in_draw`: in the draw they are used in
    their turn. `is_replaced`: whatever is exposed is replaced, so that no text is wanting."""

    rule: Text
    games: Annotated[tuple[Text, ...], Meta(min_length=1)]
    cards: CountOrNever = 0
    first_cards: CountOrNever = 0
    first_passes: CountOrNever = 0
    players: CountOrNever = 0
    one_is_none: bool = False
    uncorrected_rule: Text | None = None
    is_used_in_draw: bool = False
    is_replaced: bool = False


class Checks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The irregularities of which the profile speaks; one that is left out is not held."""

    exposed_in_cut: Check | None = None
    shuffle_and_cut: Check | None = None
    order: OrderCheck | None = None
    seats: SeatsCheck | None = None
    counts: CountCheck | None = None
    deck: DefectCheck | None = None
    boxed: BoxedCheck | None = None
    exposed: tuple[ExposedCheck, ...] = ()
    redeal: Check | None = None


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A versioned set of rules, as its file says it. `findings`: the rules that a kind of finding touches,
    the first that is about the game at hand. `topics`: the status of what follows from each of these."""

    profile: Annotated[
        str,
        Meta(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$", description="a name of small letters, digits, - and _"),
    ]
    version: Text
    title: Text
    decides: Text
    rules: dict[str, Rule]
    checks: Checks
    findings: dict[str, tuple[Text, ...]] = {}
    topics: dict[str, Status] = {}
    readings: dict[str, Reading] = {}
    settings: Settings = Settings()
