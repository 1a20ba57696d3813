"""What each state looks like. States differ in rhythm and place, never in colour alone.

    state            rhythm                     colour      place (towers, relays)   word
    all well         steady                     green       lowest                   ALL WELL
    attention        slow blink, 1 Hz, half on  amber       middle                   ATTENTION
    misdeal advised  fast blink, 4 Hz, half on  red         highest                  MISDEAL ADVISED
    not monitored    flash, 100 ms every 2 s    blue        none lit                 NOT MONITORED

"Not monitored" is what a lamp shows by itself when nobody renews the promise. On lights that cannot flash by
themselves it is dark: a dead or unplugged light then reads as "not monitored", never as "all well".
"""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from shoe_bridge.table.light_state import LightState


class Look(msgspec.Struct, frozen=True):
    """How one state looks: a lamp's `pattern` and colour (0 to 255 each), a console's symbol and word."""

    pattern: str
    red: int
    green: int
    blue: int
    symbol: str
    word: str


LOOKS: Mapping[LightState, Look] = MappingProxyType(
    {
        LightState.ALL_WELL: Look("steady", 0, 255, 0, "[ ok ]", "ALL WELL"),
        LightState.ATTENTION: Look("slow_blink", 255, 140, 0, "[ !  ]", "ATTENTION"),
        LightState.MISDEAL_ADVISED: Look("fast_blink", 255, 0, 0, "[!!!!]", "MISDEAL ADVISED"),
        LightState.NOT_MONITORED: Look("flash", 0, 0, 255, "[ ?? ]", "NOT MONITORED"),
    }
)
