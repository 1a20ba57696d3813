"""What must hold of a port that names a USB device, and of the kinds that have no other."""

from collections.abc import Iterator, Mapping

from shoe_bridge.adapters.busylight import reader_with
from shoe_bridge.adapters.usb_names import is_usb, may_be_same, usb_name
from shoe_bridge.toml_lines import KeyPath
from shoe_bridge.toml_schema import Complaint, shown, words
from shoe_bridge.usb_kinds import DEVICES, LIGHTS, UsbKind

BUSYLIGHT = "busylight"  # whatever busylight-core knows
ONLY_USB = frozenset(LIGHTS) | {BUSYLIGHT}  # as lights, and as devices where the name is the same
USB_FORMS = "usb:VID:PID, usb:VID:PID:SERIAL or usb@BUS-PORT"
_USB_FORMS_OF_BUSYLIGHT = "usb:VID:PID or usb:VID:PID:SERIAL"


def usb_port_form(port: str, kind: str, path: KeyPath, table: Mapping[str, UsbKind]) -> Iterator[Complaint]:
    """`port` names a USB device, or `kind` is reached so only. `table` has the kinds of that section."""
    forms = _USB_FORMS_OF_BUSYLIGHT if kind == BUSYLIGHT else USB_FORMS
    name = usb_name(port)
    if not is_usb(port):
        yield Complaint(path, f"port is {shown(port)}, expected {forms} for a {kind}")
    elif kind not in table and kind != BUSYLIGHT:
        kinds = (*table, BUSYLIGHT) if table is LIGHTS else table
        yield Complaint(path, f"port is {shown(port)}, expected a USB name for {words(kinds)} only")
    elif name is None or (kind == BUSYLIGHT and name.usb_id is None):
        yield Complaint(path, f"port is {shown(port)}, expected {forms}, the ids in four hex digits each")
    elif kind == BUSYLIGHT:
        yield from _keeps_off_readers(port, name.usb_id or "", path)
    elif name.usb_id is not None and table[kind].is_closed:
        known = [f"usb:{one.vendor}:{one.product}" for one in table[kind].ids]
        if f"usb:{name.usb_id}" not in known:
            yield Complaint(path, f"port is {shown(port)}, which is no {kind}, expected {words(known)}")


def _keeps_off_readers(port: str, usb_id: str, path: KeyPath) -> Iterator[Complaint]:
    reader = reader_with(usb_id)
    if reader is not None:
        yield Complaint(path, f"port is {shown(port)}, a {reader}, expected the ids of a light")


def same_usb_device(port: str, others: Mapping[str, str]) -> str | None:
    """The owner, of `others` (port to owner), that may turn out to have the same USB device; None: nobody."""
    name = usb_name(port)
    if name is None:
        return None
    for other, owner in others.items():
        other_name = usb_name(other)
        if other_name is not None and may_be_same(name, other_name):
            return owner
    return None


def is_only_usb(kind: str, section: str) -> bool:
    """Whether a `kind` of `[[device]]` or `[[light]]` has no other way than USB."""
    return kind in ONLY_USB if section == "light" else kind in DEVICES and kind in LIGHTS
