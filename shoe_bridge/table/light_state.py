"""The four states that a dealer's light can be told to show."""

from enum import StrEnum


class LightState(StrEnum):
    """What the dealer must see. They differ in rhythm and place, never in colour alone."""

    ALL_WELL = "all_well"
    ATTENTION = "attention"
    MISDEAL_ADVISED = "misdeal_advised"
    NOT_MONITORED = "not_monitored"
