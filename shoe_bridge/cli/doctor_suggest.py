"""A configuration for what is plugged in: a start that is right where a device was heard, and a guess where
only its adapter is known. Each guess is marked as one."""

from collections import Counter
from collections.abc import Iterator

import msgspec

from shoe_bridge.adapters.host import Host, RawUsb, SerialPort
from shoe_bridge.adapters.port_match import PortMatch
from shoe_bridge.cli.counted import counted
from shoe_bridge.cli.doctor_probe import Heard
from shoe_bridge.runtime.config import LINE_OF_KIND, OTHER_LINE
from shoe_bridge.runtime.config_kinds import ANTENNA_MAX, SHOES
from shoe_bridge.usb_kinds import DEVICES, LIGHTS

_HEAD = """\
# What is plugged in on this host. Lines with `guess` are guesses: look at the device, correct them, and prove
# the map with `shoe-bridge calibrate --config FILE`.
"""
# what is most often behind each chip; a board may be anything
_KIND_OF_CHIP = {
    "cp210x": "pepper_c1",
    "rp2040": "tablelink",
    "esp32": "tablelink",
    "ch9102": "tablelink",
    "ft232": "feig_obid",
    "ft231x": "feig_obid",
    "pl2303": "feig_obid",
    "ch340": "pn532",
}
_KEYS = ("shuffle", "cut", "end deal")
_MOST_SEATS = 9
_OF_SHARED_SERIALS = ("0001", "0000", "00000000", "0123456789")  # what clones have for a serial number


class _Box(msgspec.Struct):
    """One device or light to be written down; `why` is where its kind comes from, `line` the speed in bit/s
    and the parity at which it was heard."""

    kind: str
    why: str
    place: str
    is_light: bool = False
    what: str = ""
    line: tuple[int, str] | None = None


def suggestion(host: Host, heard: list[Heard]) -> str:
    """The text of a configuration. It is whole where the readers have antennas enough for a table."""
    by_port = {one.port: one for one in heard}
    boxes = [_of_port(port, host, by_port.get(port.path)) for port in host.ports if port.usb_id]
    boxes += [box for raw in host.raw_usb if (box := _of_raw(raw)) is not None]
    if not boxes:
        return _HEAD + "# Nothing is plugged in: connect the readers and try again.\n"
    antennas = _shares([0 if box.is_light else ANTENNA_MAX[box.kind] for box in boxes])
    places = _places(sum(antennas))
    lines = [_HEAD, *_table(places)]
    names: Counter[str] = Counter()
    at, keys = 0, iter([_KEYS])
    for box, count in zip(boxes, antennas, strict=True):
        mine, at = places[at : at + count], at + count
        lines += _section(box, names, mine)
        if box.kind == "tablelink" and (few := next(keys, ())):
            lines.append(f"keys = {_inline(few, 1)}   # guess")
        lines.append("")
    return "\n".join(lines)


def _of_port(port: SerialPort, host: Host, heard: Heard | None) -> _Box:
    kind, why = _KIND_OF_CHIP.get(port.chip or "", "tablelink"), f"guess: behind a {port.chip or 'chip'}"
    line = None
    if heard is not None and heard.sounds_like:
        kind = heard.sounds_like[0]
        line = (heard.baud, heard.parity)
        why = f"its frames were heard at {heard.baud} {heard.parity}"
    elif heard is not None and heard.received:
        are = "was heard that is" if heard.received == 1 else "were heard that are"
        why += f", {counted(heard.received, 'byte')} {are} of no known kind"
    return _Box(
        kind, why, f"match = {_match(port, host)}", what=f"{port.path}, {port.description}", line=line
    )


def _match(port: SerialPort, host: Host) -> str:
    """By serial number where it is the only one, else by the socket: identical adapters differ in nothing
    else."""
    vendor, _, product = (port.usb_id or "").partition(":")
    same = [one for one in host.ports if one.usb_id == port.usb_id]
    is_own = port.serial and sum(one.serial == port.serial for one in same) == 1
    use_serial = is_own and port.serial not in _OF_SHARED_SERIALS and "," not in (port.serial or "")
    match = PortMatch(
        vendor or None,
        product or None,
        port.serial if use_serial else None,
        None if use_serial else (port.location or "").partition(":")[0] or None,
    )
    fields = {name: getattr(match, name) for name in match.__struct_fields__}
    inside = ", ".join(f'{name} = "{value}"' for name, value in fields.items() if value is not None)
    return f"{{ {inside} }}"


def _of_raw(raw: RawUsb) -> _Box | None:
    vendor, _, product = raw.usb_id.partition(":")
    for table, is_light in ((LIGHTS, True), (DEVICES, False)):
        for kind, usb in table.items():
            if any((one.vendor, one.product) == (vendor, product) for one in usb.ids):
                return _Box(kind, "by its USB id", f'port = "usb@{raw.usb_path}"', is_light, raw.serves)
    return None


def _shares(most: list[int]) -> list[int]:
    """How many places each reader is given, of at most so many: one each, and the first ones the rest of a
    table."""
    shares = [min(1, count) for count in most]
    left = _MOST_SEATS + 2 - sum(shares)
    for at, count in enumerate(most):
        more = max(0, min(count - shares[at], left))
        shares[at] += more
        left -= more
    return shares


def _places(antennas: int) -> list[str]:
    """As many seats as there are antennas for beside the board and the burn; more antennas than a table has
    places look at the board."""
    seats = max(0, min(_MOST_SEATS, antennas - 2))
    places = [*(f"seat {seat}" for seat in range(1, seats + 1)), "burn", "board"]
    return [*places, *["board"] * (antennas - len(places))][:antennas]


def _table(places: list[str]) -> Iterator[str]:
    seats = sum(place.startswith("seat ") for place in places)
    yield "[table]"
    yield 'id = "table-1"'
    yield 'game = "holdem"   # guess'
    yield f"seats = {max(1, seats)}   # guess: as many as the readers have antennas for"
    if not seats:
        yield "# A table needs an antenna for each seat, for the board and for the burn: more readers."
    yield ""


def _section(box: _Box, names: Counter[str], places: list[str]) -> Iterator[str]:
    role = "light" if box.is_light else "shoe" if box.kind in SHOES else "keys" if not places else "reader"
    names[role] += 1
    yield "[[light]]" if box.is_light else "[[device]]"
    if box.what:
        yield f"# {box.what}"
    yield f'name = "{role}-{names[role]}"'
    yield f'kind = "{box.kind}"   # {box.why}'
    yield box.place
    baud, parity = LINE_OF_KIND.get(box.kind, OTHER_LINE)
    if box.line is not None and box.line[0] != baud:
        yield f"baud = {box.line[0]}"
    if box.line is not None and box.line[1] != parity:
        yield f'parity = "{box.line[1]}"'
    if places:
        yield f"antennas = {_inline(places, 0 if box.kind == 'text_line' else 1)}   # guess"


def _inline(names: "tuple[str, ...] | list[str]", first: int) -> str:
    entries = ", ".join(f'{number} = "{name}"' for number, name in enumerate(names, start=first))
    return f"{{ {entries} }}"
