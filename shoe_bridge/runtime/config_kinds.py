"""The kinds of device and light that a configuration may name, and how many antennas and keys each has."""

from collections.abc import Iterator

from protocol.hid_keys import LAST_KEY
from shoe_bridge.runtime.config_usb import BUSYLIGHT
from shoe_bridge.toml_lines import KeyPath
from shoe_bridge.toml_schema import Complaint, near_miss, shown, words
from shoe_bridge.usb_kinds import LIGHTS

DEVICE_KINDS = (
    *("tablelink", "pepper_c1", "feig_obid", "angel_eye", "bee_tek"),
    *("text_line", "hid_keyboard", "pn532", "yrm100", "r2000", "patlite_ne"),
)
LIGHT_KINDS = ("tablelink", "lcus_relay", "adafruit_tower", "console", *LIGHTS, BUSYLIGHT)
SINKS = ("jsonl",)
# Named in the documents or met at tables, and not spoken yet: worth another sentence than a slip of the pen.
_LATER = {
    *("gpio", "mqtt", "nats"),
}
ANTENNA_MAX = {
    "tablelink": 32,
    "pepper_c1": 8,
    "feig_obid": 8,
    "angel_eye": 0,
    "bee_tek": 0,
    "text_line": 255,
    "hid_keyboard": 1,
    "pn532": 1,
    "yrm100": 1,
    "r2000": 4,
    "patlite_ne": 0,
}
KEY_MAX = {
    "tablelink": 32,
    "pepper_c1": 0,
    "feig_obid": 0,
    "angel_eye": 0,
    "bee_tek": 0,
    "text_line": 0,
    "hid_keyboard": LAST_KEY,  # the numbers are HID usages; one with keys has no antenna
    "pn532": 0,
    "yrm100": 0,
    "r2000": 0,
    "patlite_ne": 1,  # its touch sensor
}
SHOES = ("angel_eye", "bee_tek")  # they only speak, and have no name to give
NEEDS_ANTENNAS = ("pepper_c1", "feig_obid", "text_line", "pn532", "yrm100", "r2000")
# told apart by their ports alone
NAMELESS = (*SHOES, "pn532", "yrm100", "r2000", "hid_keyboard", "patlite_ne")
NAMED_BY_MODEL = ("feig_obid", "pn532", "yrm100", "r2000")  # they say what they are and not who
KEY_NAMES = (
    *("shuffle", "cut", "cut begin", "end deal", "exposed", "boxed", "end bet", "showdown", "push", "notice"),
    *("cannot correct", "corrected", "supervisor misdeal", "supervisor play on", "next hand"),
    *("scan", "scan end", "acknowledge"),
)


def choice(value: str, known: tuple[str, ...], path: KeyPath) -> Iterator[Complaint]:
    """The value at `path` is one of those `known`."""
    if value in known:
        return
    if value in _LATER:
        sentence = f"{path[-1]} {shown(value)} is not yet supported, expected {words(known)}"
    else:
        sentence = f"{path[-1]} is {shown(value)}, expected {words(known)}{near_miss(value, known)}".rstrip(
            "?"
        )
    yield Complaint(path, sentence)
