"""The kinds of device that have a link, and what the link to each is made of: a reader, which follows the
tags at its antennas, and a session, which holds the conversation.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import msgspec

from shoe_bridge.link.angel_eye_session import AngelEyeSession
from shoe_bridge.link.asked_reader import AskedReader
from shoe_bridge.link.asked_session import AskedSession
from shoe_bridge.link.asked_state import PollReader
from shoe_bridge.link.asker import Asker
from shoe_bridge.link.bee_tek_session import BeeTekSession
from shoe_bridge.link.feig_asker import BufferAsker, InventoryAsker, NotificationAsker
from shoe_bridge.link.held_reader import HeldReader
from shoe_bridge.link.keypad_session import KeypadSession
from shoe_bridge.link.keys import Keys
from shoe_bridge.link.line_reader import LineReader
from shoe_bridge.link.link_config import LinkConfig
from shoe_bridge.link.listening_session import ListeningSession
from shoe_bridge.link.patlite_session import PatliteSession
from shoe_bridge.link.pepper_session import PepperSession
from shoe_bridge.link.pn532_asker import Pn532Asker
from shoe_bridge.link.polled_reader import PolledReader
from shoe_bridge.link.presence import Presence
from shoe_bridge.link.recorded_reader import RecordedReader
from shoe_bridge.link.session import LinkLabel, Session
from shoe_bridge.link.tablelink_session import TablelinkSession
from shoe_bridge.link.text_session import TextSession
from shoe_bridge.link.translate import HeldTranslate, PolledTranslate
from shoe_bridge.link.typed_session import TypedSession
from shoe_bridge.link.uhf_askers import R2000Asker, Yrm100Asker

R = TypeVar("R")
Parts = tuple[PolledReader | HeldReader | PollReader, Session]


class Making(NamedTuple):
    """What the parts of one link are made from."""

    config: LinkConfig
    presence: Presence
    is_known_tag: Callable[[str], bool]
    keys: Keys
    counters: Counter[str]

    @property
    def label(self) -> LinkLabel:
        return LinkLabel(self.config.name, self.config.kind, self.config.places)

    def reader(self, make: Callable[..., R], **more: Any) -> R:
        """A reader at the device's antennas; `more` is what its class takes besides what all take."""
        return make(
            self.presence,
            self.config.name,
            self.config.antennas,
            cycle_ms=self.config.cycle_ms,
            is_known_tag=self.is_known_tag,
            counters=self.counters,
            **more,
        )

    def line_reader(self, *, repeats: bool) -> LineReader:
        config = self.config
        polls = config.gone_after_polls
        return self.reader(LineReader, hold_ms=config.hold_ms, gone_after_polls=polls, repeats=repeats)

    def asked(self, asker: Asker, reader: PollReader) -> Parts:
        """The parts of a reader that the host must ask."""
        config = self.config
        session = AskedSession(self.label, config.identity, self.counters, asker, reader, config.cycle_ms)
        return reader, session


Make = Callable[[Making], Parts]


def _tablelink(making: Making) -> Parts:
    config = making.config
    reader = making.reader(PolledReader, gone_after_polls=config.gone_after_polls)
    translate = PolledTranslate(config.name, reader, making.keys, making.counters)
    return reader, TablelinkSession(making.label, config.identity, making.counters, translate)


def _pepper(making: Making) -> Parts:
    config = making.config
    reader = making.reader(HeldReader, hold_ms=config.hold_ms)
    translate = HeldTranslate(config.name, reader, list(config.antennas), making.counters)
    return reader, PepperSession(making.label, config.identity, making.counters, translate)


def _asked(make_asker: Callable[[LinkConfig], Asker]) -> Make:
    """The parts of a reader that is polled; `make_asker` is all that its kind supplies."""

    def parts(making: Making) -> Parts:
        reader = making.reader(AskedReader, gone_after_polls=making.config.gone_after_polls)
        return making.asked(make_asker(making.config), reader)

    return parts


def _feig(making: Making) -> Parts:
    config = making.config
    if config.mode == "inventory":
        return _asked(InventoryAsker)(making)
    is_pushed = config.mode == "notification"
    reader = making.reader(RecordedReader, hold_ms=config.hold_ms, is_pushed=is_pushed)
    return making.asked(NotificationAsker() if is_pushed else BufferAsker(), reader)


def _listening(make: Callable[[LinkLabel, Counter[str]], ListeningSession]) -> Make:
    """The parts of a shoe that only speaks: it has no antennas, so its reader has nothing to do."""

    def parts(making: Making) -> Parts:
        shoe = making._replace(config=msgspec.structs.replace(making.config, antennas={}))
        return shoe.reader(HeldReader, hold_ms=shoe.config.hold_ms), make(shoe.label, shoe.counters)

    return parts


def _text_line(making: Making) -> Parts:
    config = making.config
    reader = making.line_reader(repeats=config.repeats)
    session = TextSession(
        making.label,
        config.identity,
        making.counters,
        reader,
        single=config.single_antenna,
        chatter=config.chatter,
        heartbeat_s=config.heartbeat_s,
    )
    return reader, session


def _hid_keyboard(making: Making) -> Parts:
    """A keypad where it has keys, else a reader that types."""
    config = making.config
    reader = making.line_reader(repeats=False)
    if config.keys:
        return reader, KeypadSession(making.label, making.counters, making.keys, config.layout or "boot")
    has_rule = config.typed is not None
    session = TypedSession(
        making.label,
        making.counters,
        reader,
        antenna=config.single_antenna,
        has_rule=has_rule,
        layout=config.layout,
    )
    return reader, session


def _patlite_ne(making: Making) -> Parts:
    reader = making.line_reader(repeats=False)
    return reader, PatliteSession(making.label, making.counters, making.keys)


KINDS: dict[str, Make] = {
    "tablelink": _tablelink,
    "pepper_c1": _pepper,
    "feig_obid": _feig,
    "angel_eye": _listening(AngelEyeSession),
    "bee_tek": _listening(BeeTekSession),
    "text_line": _text_line,
    "hid_keyboard": _hid_keyboard,
    "pn532": _asked(Pn532Asker),
    "yrm100": _asked(Yrm100Asker),
    "r2000": _asked(R2000Asker),
    "patlite_ne": _patlite_ne,
}
