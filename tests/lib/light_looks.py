"""What a dealer must see of each kind of USB light, in words: the house's rule, and where a kind cannot."""

from shoe_bridge.sim.light_looks import OFF, Shown
from shoe_bridge.table.light_state import LightState

_LOOKS = {
    LightState.ALL_WELL: Shown("green", "steady"),
    LightState.ATTENTION: Shown("amber", "slow"),
    LightState.MISDEAL_ADVISED: Shown("red", "fast"),
    LightState.NOT_MONITORED: Shown("blue", "flash"),
}
_OTHERS = {
    "patlite_lr6": {LightState.NOT_MONITORED: OFF},
    "delcom": {LightState.NOT_MONITORED: OFF},
    "qlight": {
        LightState.ATTENTION: Shown("amber", "blink"),
        LightState.MISDEAL_ADVISED: Shown("red", "blink"),
        LightState.NOT_MONITORED: OFF,
    },
}


def looks_of(kind: str) -> dict[LightState, Shown]:
    """State -> what is seen."""
    return {**_LOOKS, **_OTHERS.get(kind, {})}
