"""What the fold starts from (`Setup`) and what it carries from event to event (`TableState`)."""

import msgspec

from shoe_bridge.table.alerts import AlertChange, Alerts, light_for
from shoe_bridge.table.deal_model import DealModel
from shoe_bridge.table.deck import DeckWatch, Register, watch_of
from shoe_bridge.table.findings import AnyFinding, Change, Conclusion
from shoe_bridge.table.following import Following
from shoe_bridge.table.hand import Hand, new_hand
from shoe_bridge.table.learned import Learned
from shoe_bridge.table.light_state import LightState
from shoe_bridge.table.money import Money
from shoe_bridge.table.procedures import Procedure


class Setup(msgspec.Struct, frozen=True):
    """One table as configured: what does not change while the bridge runs.

    `keys` are the names of the keys that the table has: what has no key is not judged. `tracks_button`
    says that the button's place is told whenever it is moved. `escalate_after_s` is how long an alert is
    the dealer's alone. `seated` are the seats marked in at the start, `button` the seat before which the
    button lies (None: the game is dealt from the dealer's left), `devices` the names of all that must be
    verified before all can be well. `model` says how the dealer errs and how the antennas hear; without one
    each card counts where and when it was first read, which is right only for antennas that are polled faster
    than cards are dealt and never miss.
    """

    table: str
    game: Procedure
    seated: tuple[int, ...]
    button: int | None
    register: Register
    devices: tuple[str, ...]
    keys: tuple[str, ...] = ()
    tracks_button: bool = False
    is_first_hand: bool = False
    money: Money = Money()
    escalate_after_s: int = 30
    model: DealModel | None = None


class Standing(msgspec.Struct, frozen=True):
    """A finding that stands, with its number."""

    number: int
    finding: AnyFinding
    hand: int
    certainty: str = "certain"


class TableState(msgspec.Struct, frozen=True):
    """Everything that the next event is judged by.

    `watched_from` says since when (monotonic ns) a device has been watched without a gap. `unproven` are
    devices that have not shown who they are or are lost; `unverified` says why the hand in play is not
    wholly seen (empty: VERIFIED). `lies` are the places whose antennas see a tag now, the oldest first.
    `watch` is what proves the deck. `served` are the places of each device as its link told them, `gaps` the
    last hand in which it missed something for good. `heard` is the number of the next finding when a device
    said something last.
    """

    hand: Hand
    seated: tuple[int, ...]
    unproven: tuple[str, ...]
    standing: tuple[Standing, ...] = ()
    equipment: tuple[Conclusion, ...] = ()
    unverified: tuple[str, ...] = ()
    alerts: Alerts = Alerts()
    watched_from: dict[str, int] = {}
    next_finding: int = 1
    last_seq: int = 0
    drawn: tuple[
        tuple[str, int], ...
    ] = ()  # (tag, event seq) drawn from the shoe and not yet seen at a place
    lies: dict[str, tuple[str, ...]] = {}
    is_scanning: bool = False
    missing: tuple[str, ...] = ()  # identities that the last full scan did not see
    watch: DeckWatch = DeckWatch()
    served: dict[str, tuple[str, ...]] = {}
    gaps: dict[str, int] = {}
    heard: dict[str, int] = {}
    following: Following = Following(0)
    learned: Learned = Learned()
    strays: dict[str, tuple[str, int]] = {}  # settled cards heard by a neighbour's antenna: where, how often
    look_ns: int | None = None  # when silence will have told more of the deal
    is_erring: bool = False  # that the dealer erred in this hand is certain, whichever error it was

    @property
    def light(self) -> LightState:
        return light_for(self.alerts, not self.unproven)


class Outcome(msgspec.Struct, frozen=True):
    """What one event changed, in order."""

    changes: tuple[Change, ...] = ()
    alerts: tuple[AlertChange, ...] = ()


def start(setup: Setup) -> TableState:
    """The table before its first event: nothing is proven, no hand has begun."""
    button = setup.button if setup.game.has_button else None
    due = max(setup.seated, default=None) if setup.is_first_hand and button is not None else button
    hand = new_hand(1, setup.seated, button, due, "ready")
    watch = watch_of(setup.register)
    return TableState(fit_to_table(hand, setup), setup.seated, setup.devices, watch=watch)


def fit_to_table(hand: Hand, setup: Setup) -> Hand:
    """A new hand, knowing what this table can tell of it."""
    tracks_shuffle = "shuffle" in setup.keys and "cut" in setup.keys
    return msgspec.structs.replace(
        hand, tracks_shuffle=tracks_shuffle, tracks_betting="end bet" in setup.keys
    )
