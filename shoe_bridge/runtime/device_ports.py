"""The port object of a configured device: what its name says that it is."""

from collections.abc import Callable

from shoe_bridge.adapters.listening import ACCEPT_S, NobodyCameError
from shoe_bridge.adapters.tty import TtyPort
from shoe_bridge.adapters.usb import UsbPort
from shoe_bridge.adapters.usb_names import is_usb
from shoe_bridge.errors import PortError
from shoe_bridge.link.device_link import DeviceLink
from shoe_bridge.link.presence import Presence
from shoe_bridge.runtime.assembly import links_of
from shoe_bridge.runtime.config import DeviceConfig
from shoe_bridge.usb_kinds import DEVICES


class _NotifierPort(TtyPort):
    """Of a FEIG reader, which connects by itself only in one of its modes."""

    def connect(self) -> None:
        try:
            super().connect()
        except NobodyCameError as error:
            raise PortError(f"{str(error).rstrip('.')}, and switch its notification mode on.") from error


def device_port(
    device: DeviceConfig,
    *,
    lines_low: bool = False,
    accept_s: float | None = ACCEPT_S,
    is_proven: Callable[[], bool] = lambda: True,
) -> TtyPort | UsbPort:
    """A port for one life of the path to `device`. The configuration is checked: a USB name means a kind that
    is reached so. `lines_low` keeps DTR and RTS low for any kind of serial device; `accept_s` and
    `is_proven` are as in `TtyPort`."""
    if is_usb(device.port):
        # what types nothing has boot reports unless another layout is named: see `keypad_codec`
        layout = device.layout or ("boot" if device.keys else None)
        return UsbPort(device.port, device.kind, DEVICES[device.kind], is_boot=layout == "boot")
    # The Pepper may reset when DTR or RTS move.
    low = lines_low or device.kind == "pepper_c1"
    make = _NotifierPort if device.kind == "feig_obid" else TtyPort
    return make(
        device.port,
        baud=device.baud,
        parity=device.parity,
        lines_low=low,
        accept_s=accept_s,
        is_proven=is_proven,
        make_hearing=lambda: LinkHearing(device),
    )


class LinkHearing:
    """The conversation of a link with a caller who waits, for the sake of its proof alone: nothing that it
    observes reaches the table."""

    def __init__(self, device: DeviceConfig) -> None:
        (config,) = links_of((device,))
        self._link = DeviceLink(config, Presence(), lambda tag: False)
        self._is_open = False

    @property
    def is_proven(self) -> bool:
        return self._link.has_proof

    def turn(self, data: bytes, at_mono_ns: int) -> bytes:
        link = self._link
        if not self._is_open:
            self._is_open = True
            link.opened(at_mono_ns, 1)
        if data:
            link.take(data, at_mono_ns)
        if (due_ns := link.next_deadline_ns()) is not None and due_ns <= at_mono_ns:
            link.tick(at_mono_ns)
        return b"".join(link.sends())
