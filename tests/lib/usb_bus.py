"""A USB bus on loopback: virtual devices of the package `usbip`, reached by pyusb over USB/IP.

    bus.plug(gadget)  ...  bus.backend() is where pyusb finds it  ...  bus.unplug(gadget) ends its transfers

The backend of `pyusb-usbip-backend` carries one transfer at a time and waits out its time-outs; this one has
several under way at once and unlinks what timed out, as libusb does. It also keeps what Linux would say to
who claims what: a driver of the kernel, another program, a permission.
"""

import errno
import queue
import socket
import struct
import threading
from types import SimpleNamespace
from typing import Any

import usb.core
import usbip_backend.backend as usbip_client
from usbip import protocol
from usbip.core import IN, OUT
from usbip.device import USBDevice
from usbip.transport import Transport

_HEADER = 48
_SUBMIT, _UNLINK, _UNLINKED = 1, 2, 4
TAKEN_BACK = (-errno.ECONNRESET, b"")
Answers = queue.SimpleQueue[tuple[int, bytes] | None]  # None: the device is gone


class Gadget(USBDevice):  # type: ignore[misc]
    """A virtual device. `is_deaf`: it takes nothing that the host writes (it answers NAK) until `hear`.
    `has_driver`: a driver of the kernel holds its interfaces; `claimed`: those that a program holds;
    `is_denied`: the user may not open it; `is_snatched`: another program is always quicker to claim it."""

    def __init__(self, vid: int, pid: int, *, serial: str | None = None, has_driver: bool = True) -> None:
        super().__init__(vid, pid, serial=serial, product="virtual")
        self.is_deaf = False
        self.is_denied = False
        self.is_snatched = False
        self.driven: set[int] = {0, 1} if has_driver else set()
        self.claimed: set[int] = set()
        self.log: list[str] = []
        self.is_hooked = False
        self._parked: dict[int, tuple[Any, Any]] = {}

    def power(self, is_on: bool) -> None:
        """Its plug is in now, or pulled."""

    def hear(self) -> None:
        self.is_deaf = False
        parked, self._parked = self._parked, {}
        for urb, respond in parked.values():
            if super().handle_urb(urb, respond) is not None:
                respond(urb)

    def handle_urb(self, urb: Any, respond: Any = None) -> Any:
        if self.is_deaf and urb.direction == OUT:
            self._parked[urb.seqnum] = (urb, respond)
            return None
        return super().handle_urb(urb, respond)

    def cancel_urb(self, seqnum: int) -> None:
        if self._parked.pop(seqnum, None) is None:
            super().cancel_urb(seqnum)


class Bus(Transport):  # type: ignore[misc]
    """Bus 1 with its ports from 1 on, each with what is plugged into it."""

    def __init__(self) -> None:
        self.gadgets: dict[int, Gadget] = {}
        self._wires: list[tuple[Gadget, socket.socket]] = []
        self._threads: list[threading.Thread] = []
        self._address = 1
        self._is_closed = False
        self._server = socket.create_server(("127.0.0.1", 0))
        self.number = self._server.getsockname()[1]
        self._acceptor = threading.Thread(target=self._accept, name="usb bus", daemon=True)
        self._acceptor.start()

    def plug(self, gadget: Gadget, port: int | None = None) -> None:
        socket_number = port or min(set(range(1, 16)) - set(self.gadgets))
        self._address += 1
        gadget.busnum, gadget.devnum, gadget.busid = 1, self._address, f"1-{socket_number}"
        if not gadget.is_hooked:
            gadget.add_reset_hook(lambda: self._wire_of_this_thread(gadget))
            gadget.is_hooked = True
        self.gadgets[socket_number] = gadget
        gadget.power(True)

    def unplug(self, gadget: Gadget) -> None:
        gadget.power(False)
        self.gadgets = {port: one for port, one in self.gadgets.items() if one is not gadget}
        gadget.claimed.clear()
        for owner, wire in self._wires:
            if owner is gadget:
                _shut(wire)
        self._wires = [pair for pair in self._wires if pair[0] is not gadget]

    def backend(self) -> "BusBackend":
        return BusBackend(self)

    def close(self) -> None:
        self._is_closed = True
        for gadget in list(self.gadgets.values()):
            self.unplug(gadget)
        _shut(self._server)
        self._server.close()
        self._acceptor.join()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while not self._is_closed:
            try:
                wire, _ = self._server.accept()
            except OSError:
                return
            wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            gadgets = list(self.gadgets.values())
            thread = threading.Thread(target=protocol.serve_connection, args=(wire, gadgets), daemon=True)
            thread.wire = wire  # type: ignore[attr-defined]
            self._threads = [one for one in self._threads if one.is_alive()] + [thread]
            thread.start()

    def _wire_of_this_thread(self, gadget: Gadget) -> None:
        wire = getattr(threading.current_thread(), "wire", None)
        if wire is not None:
            self._wires.append((gadget, wire))


class _Connection:
    """One imported device: transfers under way at once, by their numbers."""

    def __init__(self, wire: socket.socket, devid: int) -> None:
        self.users = 0
        self._wire = wire
        self._devid = devid
        self._answers: dict[int, tuple[Answers, bool]] = {}
        self._lock = threading.Lock()
        self._number = 0
        self._is_gone = False
        wire.settimeout(None)
        self._reader = threading.Thread(target=self._read, name="usb wire", daemon=True)
        self._reader.start()

    def submit(
        self,
        *,
        direction: int,
        ep: int,
        setup: bytes,
        transfer_buffer_length: int,
        out_payload: bytes = b"",
        timeout_ms: int | None = None,
    ) -> tuple[int, bytes]:
        """The status and the bytes of one transfer. Raises USBError, USBTimeoutError."""
        answers: Answers = queue.SimpleQueue()
        rest = struct.pack("!Iiiii", 0, transfer_buffer_length, 0, 0, 0) + setup + out_payload
        number = self._send(_SUBMIT, direction, ep, rest, answers)
        try:
            got = answers.get(timeout=timeout_ms / 1000 if timeout_ms else None)
        except queue.Empty:  # what was completed meanwhile counts, what was not is taken back
            self._send(_UNLINK, OUT, 0, struct.pack("!I", number) + bytes(24), answers)
            got = answers.get()
        if got is None:
            raise _gone()
        if got is TAKEN_BACK:
            raise usb.core.USBTimeoutError("Operation timed out", errno=errno.ETIMEDOUT)
        return got

    def close(self) -> None:
        _shut(self._wire)
        self._reader.join()
        self._wire.close()

    def _send(self, command: int, direction: int, ep: int, rest: bytes, answers: "Answers") -> int:
        with self._lock:
            if self._is_gone:
                raise _gone()
            self._number += 1
            self._answers[self._number] = (answers, command == _SUBMIT and direction == IN)
            head = struct.pack("!IIIII", command, self._number, self._devid, direction, ep)
            try:
                self._wire.sendall(head + rest)
            except OSError:
                raise _gone() from None
            return self._number

    def _read(self) -> None:
        while (head := _exactly(self._wire, _HEADER)) is not None:
            command, number, _, _, _, status, length = struct.unpack("!IIIIIii", head[:28])
            with self._lock:
                answers, has_payload = self._answers.pop(number)
            payload = _exactly(self._wire, length) if has_payload and length else b""
            if payload is None:
                break
            answers.put(TAKEN_BACK if command == _UNLINKED else (status, payload))
        with self._lock:
            self._is_gone = True
            waiting, self._answers = self._answers, {}
        for answers, _ in waiting.values():
            answers.put(None)


class BusBackend(usbip_client.USBIPBackend):  # type: ignore[misc]
    """The backend of pyusb for one bus, with the rules of Linux about who may have an interface."""

    def __init__(self, bus: Bus) -> None:
        super().__init__("127.0.0.1", bus.number)
        self._bus = bus
        self._connections: dict[Any, _Connection] = {}
        self._sharing = threading.Lock()

    def itself(self) -> "BusBackend":
        """For `usb_device.open_backend`: one backend has one set of connections."""
        return self

    def _cache_key(self, dev: Any) -> tuple[str, str]:
        return (f"{dev.busid} {dev.devnum}", dev.path)  # another device in a socket has its own descriptors

    def enumerate_devices(self) -> Any:
        self._devices = None
        return super().enumerate_devices() if self._bus.gadgets else []

    def get_device_descriptor(self, dev: Any) -> Any:
        found = super().get_device_descriptor(dev)
        gadget = self._gadget(dev)
        found.iProduct, found.iSerialNumber = gadget.iProduct, gadget.iSerialNumber
        found.port_numbers = (int(dev.busid.partition("-")[2]),)
        return found

    def open_device(self, dev: Any) -> Any:
        if self._gadget(dev).is_denied:
            raise usb.core.USBError("Access denied (insufficient permissions)", errno=errno.EACCES)
        return SimpleNamespace(dev=dev, submit=self._shared(dev, +1).submit)

    def close_device(self, dev_handle: Any) -> None:
        self._shared(dev_handle.dev, -1)

    def _fetch_descriptor(self, dev: Any, **request: int) -> bytes:
        connection = self._shared(dev, +1)
        try:
            setup = struct.pack("<BBBBHH", 0x80, 6, request["dindex"], request["dtype"], 0, request["length"])
            status, data = connection.submit(
                direction=IN, ep=0, setup=setup, transfer_buffer_length=request["length"], timeout_ms=1000
            )
            assert status == 0
            return data
        finally:
            self._shared(dev, -1)

    def _shared(self, dev: Any, users: int) -> _Connection:
        """The one connection to a device, opened by its first user and closed by its last."""
        with self._sharing:
            connection = self._connections.get(dev)
            if connection is None:
                imported = super()._import_device(dev)
                connection = self._connections[dev] = _Connection(imported.sock, dev.devid)
            connection.users += users
            if connection.users == 0:
                del self._connections[dev]
                connection.close()
            return connection

    def _gadget(self, dev: Any) -> Gadget:
        for gadget in list(self._bus.gadgets.values()):
            if gadget.devnum == dev.devnum:
                return gadget
        raise _gone()

    # -- what the kernel would say ---------------------------------------------------------------------

    def is_kernel_driver_active(self, dev_handle: Any, intf: int) -> bool:
        return intf in self._gadget(dev_handle.dev).driven

    def detach_kernel_driver(self, dev_handle: Any, intf: int) -> None:
        gadget = self._gadget(dev_handle.dev)
        gadget.driven.remove(intf)
        gadget.log.append(f"driver of {intf} detached")

    def attach_kernel_driver(self, dev_handle: Any, intf: int) -> None:
        gadget = self._gadget(dev_handle.dev)
        if intf in gadget.claimed:
            raise usb.core.USBError("Resource busy", errno=errno.EBUSY)
        gadget.driven.add(intf)
        gadget.log.append(f"driver of {intf} given back")

    def claim_interface(self, dev_handle: Any, intf: int) -> None:
        gadget = self._gadget(dev_handle.dev)
        if gadget.is_snatched or intf in gadget.claimed | gadget.driven:
            raise usb.core.USBError("Resource busy", errno=errno.EBUSY)
        gadget.claimed.add(intf)
        gadget.log.append(f"interface {intf} claimed")

    def release_interface(self, dev_handle: Any, intf: int) -> None:
        self._gadget(dev_handle.dev).claimed.discard(intf)


def _gone() -> usb.core.USBError:
    return usb.core.USBError("No such device (it may have been disconnected)", errno=errno.ENODEV)


def _exactly(wire: socket.socket, size: int) -> bytes | None:
    data = b""
    while len(data) < size:
        try:
            part = wire.recv(size - len(data))
        except OSError:
            return None
        if not part:
            return None
        data += part
    return data


def _shut(wire: socket.socket) -> None:
    try:
        wire.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
