"""One USB device, found by its name, its interface taken from the kernel's driver and given back at the end.

pyusb is untyped: its devices, endpoints and backends are `Any`. Everything blocks; `usb` has the threads.
"""

import contextlib
import ctypes
import errno
from collections.abc import Callable, Iterator
from typing import Any

import usb.backend.libusb1
import usb.core
import usb.util

from shoe_bridge.adapters import usb_faults, usb_hid
from shoe_bridge.adapters.usb_names import UsbName, usb_name
from shoe_bridge.errors import PortError
from shoe_bridge.usb_kinds import KEYBOARD_PROTOCOL, UsbKind, UsbWire, all_ids

_GET_STATUS = 0x00
_FROM_DEVICE = 0x80
_SET_REPORT = 0x09
_TO_INTERFACE = 0x21  # bmRequestType: host to device, class, interface
_OUTPUT, _FEATURE = 0x0200, 0x0300
_TRANSFERS = {"interrupt": usb.util.ENDPOINT_TYPE_INTR, "bulk": usb.util.ENDPOINT_TYPE_BULK}
_LIBRARY = "libusb-1.0.so.0"


def libusb() -> Any:
    """The backend on the host's libusb. Raises PortError where that library is not there or does not work."""
    # by its name first: the search of ctypes starts a compiler, each time that there is nothing to find
    backend = usb.backend.libusb1.get_backend(find_library=lambda name: _LIBRARY)
    if backend is None:
        raise PortError(usb_faults.LIBRARY_FAILS if _is_there(_LIBRARY) else usb_faults.NO_LIBRARY)
    return backend


def _is_there(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


open_backend: Callable[[], Any] = libusb
"""How every device is reached; tests put a virtual bus here."""


class UsbDevice:
    """The claimed interface of the device that `port` names. One thread may read while another one writes.
    `is_boot`: its reports are to be those of the boot keyboard, which it is told where it can be.

    Raises PortError when it is not there, not of this kind, not permitted, or in use.
    """

    def __init__(self, port: str, kind: str, spec: UsbKind, *, is_boot: bool = False) -> None:
        self._wire = spec.wire
        self._is_boot = is_boot
        self._device = _find(port, kind, spec)
        self._has_detached = False
        try:
            self._claim(port, kind)
        except PortError:
            self.release()
            raise
        except usb.core.USBError as error:
            sentence = usb_faults.open_fault(port, error, self._device)
            self.release()
            raise PortError(sentence) from error

    def read(self, timeout_ms: int) -> bytes:
        """What one transfer brought, at most `timeout_ms` later; of a HID interface one whole report. Raises
        USBError."""
        data = bytes(self._in.read(self._transfer_bytes, timeout_ms))
        # the time was up between two packets of one report: the rest belongs to it
        while data and len(data) < self._transfer_bytes and len(data) % self._in.wMaxPacketSize == 0:
            try:
                more = bytes(self._in.read(self._transfer_bytes - len(data), timeout_ms))
            except usb.core.USBError as error:
                if usb_faults.is_timeout(error):
                    break
                raise
            data += more
            if not more:
                break
        return data

    def write(self, report: bytes) -> None:
        """One report, or the bytes of one frame, taken whole by the device. Raises USBError."""
        timeout_ms = self._wire.write_ms
        if self._out is not None:
            self._out.write(report, timeout_ms)
            return
        kind = _FEATURE | report[0] if self._wire.writes == "feature" else _OUTPUT
        self._device.ctrl_transfer(_TO_INTERFACE, _SET_REPORT, kind, self._number, report, timeout_ms)

    def probe(self) -> None:
        """Asks for the device's status, which every device has. Raises USBError when it is gone."""
        self._device.ctrl_transfer(_FROM_DEVICE, _GET_STATUS, 0, 0, 2, self._wire.write_ms)

    def clear_stall(self) -> None:
        """Raises USBError."""
        self._in.clear_halt()

    def release(self) -> None:
        """Gives the interface back to the kernel's driver, if it was taken from one, and closes the device.
        For the thread that used it last. Never raises: of a device that is gone nothing can be given back."""
        if self._number is not None:
            if self._has_boot_protocol:  # as the kernel's driver expects it
                with contextlib.suppress(usb.core.USBError):
                    self._set_protocol(usb_hid.REPORT_PROTOCOL)
            with contextlib.suppress(usb.core.USBError):
                usb.util.release_interface(self._device, self._number)
            if self._has_detached:
                with contextlib.suppress(usb.core.USBError, NotImplementedError):
                    self._device.attach_kernel_driver(self._number)
        with contextlib.suppress(usb.core.USBError):
            usb.util.dispose_resources(self._device)

    _number: int | None = None
    _in: Any = None
    _out: Any = None
    _has_boot_protocol = False
    _transfer_bytes = 0

    def _claim(self, port: str, kind: str) -> None:
        configuration = self._configuration()
        interface = _interface(configuration, self._wire)
        if interface is None:
            types = self._wire.protocol == KEYBOARD_PROTOCOL
            what = usb_hid.what_it_is(list(configuration)) if types else None
            raise PortError(self._wrong_interface(port, kind, what))
        number = interface.bInterfaceNumber
        if self._is_driven(number):
            self._device.detach_kernel_driver(number)
            self._has_detached = True
        self._number = number
        usb.util.claim_interface(self._device, number)
        self._in = _endpoint(interface, self._wire.reads, usb.util.ENDPOINT_IN)
        self._out = _endpoint(interface, _out_type(self._wire), usb.util.ENDPOINT_OUT)
        if self._in is not None:
            self._transfer_bytes = self._in.wMaxPacketSize
        if self._wire.protocol == KEYBOARD_PROTOCOL:
            self._agree_on_reports(interface, port, kind)

    def _agree_on_reports(self, interface: Any, port: str, kind: str) -> None:
        """A keyboard that has boot reports sends them if that is wanted, and each read brings one report."""
        reports = usb_hid.reports_of(self._device, self._number or 0, self._wire.write_ms)
        what = usb_hid.no_keyboard(reports)
        if what is not None and interface.bInterfaceProtocol != KEYBOARD_PROTOCOL:
            raise PortError(self._wrong_interface(port, kind, what))
        longest = reports.longest
        if self._is_boot and interface.bInterfaceSubClass == usb_hid.BOOT_SUBCLASS:
            self._has_boot_protocol = self._set_protocol(usb_hid.BOOT_PROTOCOL)
            longest = usb_hid.BOOT_BYTES if self._has_boot_protocol else longest
        self._transfer_bytes = usb_hid.transfer_bytes(longest, self._in.wMaxPacketSize)

    def _set_protocol(self, protocol: int) -> bool:
        return usb_hid.set_protocol(self._device, self._number or 0, protocol, self._wire.write_ms)

    def _wrong_interface(self, port: str, kind: str, what: str | None) -> str:
        return usb_faults.wrong_interface(port, kind, _usb_id(self._device), what)

    def _configuration(self) -> Any:
        try:
            return self._device.get_active_configuration()
        except usb.core.USBError as error:
            if error.errno in (errno.EACCES, errno.EPERM, errno.ENODEV):
                raise
            self._device.set_configuration()  # as found on hosts that leave an unknown device unconfigured
            return self._device.get_active_configuration()

    def _is_driven(self, number: int) -> bool:
        try:
            return bool(self._device.is_kernel_driver_active(number))
        except NotImplementedError:  # a host without such drivers
            return False


def _find(port: str, kind: str, spec: UsbKind) -> Any:
    name = usb_name(port)
    if name is None:
        raise PortError(
            f"{port} is no name of a USB device; write usb:VID:PID, usb:VID:PID:SERIAL or usb@BUS-PORT."
        )
    try:
        devices = list(usb.core.find(find_all=True, backend=open_backend()))
    except usb.core.USBError as error:
        raise PortError(f"{port}: the USB bus cannot be read ({usb_faults.reason(error)}).") from error
    found = [device for device in devices if _is_named(device, name, port)]
    if not found:
        raise PortError(usb_faults.not_plugged(port, list(_known(devices))))
    if len(found) > 1:
        raise PortError(usb_faults.ambiguous(port, [f"usb@{_path(device)}" for device in found]))
    expected = [f"{one.vendor}:{one.product}" for one in spec.ids]
    if spec.is_closed and _usb_id(found[0]) not in expected:
        raise PortError(usb_faults.wrong_device(port, _usb_id(found[0]), kind, expected))
    return found[0]


def _is_named(device: Any, name: UsbName, port: str) -> bool:
    if name.path is not None:
        return _path(device) == name.path
    if _usb_id(device) != name.usb_id:
        return False
    if name.serial is None:
        return True
    try:
        return bool(device.serial_number == name.serial)
    except usb.core.USBError as error:
        raise PortError(usb_faults.open_fault(port, error, device)) from error
    except ValueError:  # pyusb's word for strings that may not be read
        denied = usb.core.USBError("the serial number may not be read", errno=errno.EACCES)
        raise PortError(usb_faults.open_fault(port, denied, device)) from None
    finally:
        with contextlib.suppress(usb.core.USBError):
            usb.util.dispose_resources(device)


def _known(devices: list[Any]) -> Iterator[str]:
    known = {f"{one.vendor}:{one.product}" for one in all_ids()}
    return (f"usb:{_usb_id(device)}" for device in devices if _usb_id(device) in known)


def _usb_id(device: Any) -> str:
    return f"{device.idVendor:04x}:{device.idProduct:04x}"


def _path(device: Any) -> str:
    """The kernel's name of the socket; of a root hub, which has none, its bus alone."""
    return f"{device.bus}-{'.'.join(map(str, device.port_numbers or ()))}"


def _interface(configuration: Any, wire: UsbWire) -> Any:
    """The interface that the wire describes, of several the first; one that types is told by its protocol."""
    fit = [
        one
        for one in configuration
        if one.bAlternateSetting == 0
        and wire.interface_class in (None, one.bInterfaceClass)
        and (wire.reads is None or _endpoint(one, wire.reads, usb.util.ENDPOINT_IN) is not None)
        and (wire.writes != "bulk" or _endpoint(one, "bulk", usb.util.ENDPOINT_OUT) is not None)
    ]
    return usb_hid.keyboard_of(fit) if wire.protocol == KEYBOARD_PROTOCOL else next(iter(fit), None)


def _out_type(wire: UsbWire) -> str | None:
    return {"bulk": "bulk", "report": "interrupt"}.get(wire.writes or "")


def _endpoint(interface: Any, transfer: str | None, direction: int) -> Any:
    if transfer is None:
        return None
    return usb.util.find_descriptor(
        interface,
        custom_match=lambda one: (
            usb.util.endpoint_direction(one.bEndpointAddress) == direction
            and usb.util.endpoint_type(one.bmAttributes) == _TRANSFERS[transfer]
        ),
    )
