"""One simulation: devices on ptys, somebody who acts at their table, and the end by a signal."""

import os
import select
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from shoe_bridge.adapters.usb_names import is_usb
from shoe_bridge.cli.sim_deck import TypedTags, check_typed
from shoe_bridge.cli.sim_ports import SimPorts
from shoe_bridge.runtime.config import TableConfig
from shoe_bridge.runtime.config_keys import key_words
from shoe_bridge.sim.device import SimDevice
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.pty_host import PtyHost
from shoe_bridge.sim.sim_table import SimTable
from shoe_bridge.sim.tags import Technology, technology_for_all
from shoe_bridge.sim.timed_device import ReadingDevice
from shoe_bridge.sim.usb_light_device import UsbLightDevice
from shoe_bridge.sim.world import World

LOOK_S = 0.1

Tell = Callable[[dict[str, Any]], None]


class HeardDevice:
    """A simulated device that remembers whether a host has spoken to it."""

    def __init__(self, device: SimDevice) -> None:
        self.name = device.name
        self.kind = device.kind
        self.device = device
        self.has_heard = False

    @property
    def is_plugged(self) -> bool:
        return self.device.is_plugged

    @is_plugged.setter
    def is_plugged(self, value: bool) -> None:
        self.device.is_plugged = value

    def take(self, data: bytes, at_ms: int) -> None:
        self.has_heard = self.has_heard or bool(data)
        self.device.take(data, at_ms)

    def advance(self, at_ms: int) -> bytes:
        return self.device.advance(at_ms)

    def next_due_ms(self) -> int | None:
        return self.device.next_due_ms()

    def unplug(self) -> None:
        self.device.unplug()

    def replug(self) -> None:
        self.device.replug()


_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class SimHost(ABC):
    """The simulated devices of `config` in `world`. `tell` gets one dict per change, each with a `text` for
    people; the first is `title`, and `notes` follow it. Subclasses say who is waited for and what is done."""

    def __init__(
        self, config: TableConfig, world: World, tell: Tell, title: str, notes: tuple[str, ...] = ()
    ) -> None:
        self._config = config
        self._tell = tell
        self._title = title
        self._notes = notes
        self._table = SimTable(_as_written(config), Air(world))
        # a light on USB has no port here: the bridge writes to the real one
        on_ports = [one for one in self._table.devices.values() if not isinstance(one, UsbLightDevice)]
        self._heard = [HeardDevice(device) for device in on_ports]
        self._stop = threading.Event()
        self._failure: BaseException | None = None

    @abstractmethod
    def _act(self, host: PtyHost) -> None:
        """What is done at the table; in a thread of its own, until it is done or `_stop` is set."""

    def _visitor(self, config_path: Path) -> str:
        """Who is to connect: the words of a command."""
        return f"the bridge: shoe-bridge run --config {config_path}"

    def _start_line(self) -> dict[str, Any]:
        """What programs are told at the start besides."""
        return {"table": self._config.table.id}

    def play(self, ports: SimPorts, config_path: Path) -> None:
        """Show the devices at `ports` and act until SIGINT or SIGTERM."""
        told, tell = os.pipe()
        os.set_blocking(tell, False)
        before = {name: signal.signal(name, lambda *_: os.write(tell, b".")) for name in _ENDING}
        try:
            with PtyHost(self._heard, ports.folder) as host:
                ports.link()
                self._tell_ports(ports, config_path)
                dealer = threading.Thread(target=self._run, args=(host,), name="dealer", daemon=True)
                dealer.start()
                self._wait(told)
            dealer.join()
            if self._failure is not None:
                raise self._failure
        finally:
            for name, handler in before.items():
                signal.signal(name, handler)
            os.close(told)
            os.close(tell)
        self._tell({"type": "stopped", "text": "stopped; the simulated ports are gone"})

    def _wait(self, told: int) -> None:
        """Until a signal or the dealer ends it. A signal only writes a byte: it may come while this
        thread holds the very lock that an event needs."""
        while not self._stop.is_set():
            if select.select([told], [], [], LOOK_S)[0]:
                self._stop.set()

    def _tell_ports(self, ports: SimPorts, config_path: Path) -> None:
        self._tell({"type": "start", **self._start_line(), "text": self._title})
        for note in self._notes:
            self._tell({"type": "note", "text": note})
        for name, path in ports.paths.items():
            pty = str((ports.folder / name).resolve())
            line = {"type": "port", "name": name, "path": str(path), "pty": pty}
            self._tell({**line, "text": f"  {name}: {path} ({pty})"})
        for light in self._config.lights:
            if is_usb(light.port or ""):
                text = (
                    f"{light.name} at {light.port} is not simulated: plug the real light in, or do without it"
                )
                self._tell({"type": "note", "text": text})
        self._tell(
            {
                "type": "waiting",
                "text": f"waiting for {self._visitor(config_path)} (Ctrl-C stops)",
            }
        )

    def _run(self, host: PtyHost) -> None:
        try:
            self._act(host)
        except BaseException as failure:
            self._failure = failure
            self._stop.set()  # a simulation in which nobody acts is over


def technology_of(config: TableConfig) -> Technology:
    """The kind of tags that every reader of the table can name. UsageError where a wedge reader has no rule
    by which it types."""
    check_typed(config)
    boxes = SimTable(_as_written(config), Air(World())).devices.values()  # to be asked what they can read
    readers = [box for box in boxes if isinstance(box, ReadingDevice)]
    return technology_for_all([*readers, *map(TypedTags, config.devices)])


def _as_written(config: TableConfig) -> dict[str, Any]:
    """The devices and lights as the file has them: what was left out there is left out here."""
    built = msgspec.to_builtins(config, str_keys=True, enc_hook=str)
    for device, box in zip(config.devices, built["device"], strict=True):
        box["keys"] = key_words(device.kind, device.keys)
    return {
        section: [
            {key: value for key, value in box.items() if value not in (None, {})} for box in built[section]
        ]
        for section in ("device", "light")
    }
