"""What USB needs of the host, and the words for what goes wrong there."""

import errno
from pathlib import Path
from types import SimpleNamespace

import pytest
import usb.backend.libusb1
import usb.core

from shoe_bridge.adapters import usb_device, usb_faults
from shoe_bridge.errors import PortError
from shoe_bridge.usb_kinds import DEVICES, LIGHTS, all_ids

UNIT = Path(__file__).parents[3] / "udev" / "shoe-bridge@.service"
DEVICE = SimpleNamespace(bus=1, address=4, idVendor=0x27B8, idProduct=0x01ED)


def error(code: int | None, text: str = "Pipe error") -> usb.core.USBError:
    return usb.core.USBError(text, errno=code)


def test_the_unit_lets_libusb_watch_the_bus() -> None:
    """libusb asks the kernel over netlink which devices come and go, and does not start where it may not."""
    settings = dict(line.split("=", 1) for line in UNIT.read_text().splitlines() if "=" in line)
    assert "AF_NETLINK" in settings["RestrictAddressFamilies"].split()


@pytest.mark.parametrize(
    ("library", "sentence"),
    [("libusb-nobody-has.so.0", usb_faults.NO_LIBRARY), ("libc.so.6", usb_faults.LIBRARY_FAILS)],
)
def test_a_library_that_is_missing_or_broken(
    monkeypatch: pytest.MonkeyPatch, library: str, sentence: str
) -> None:
    monkeypatch.setattr(usb_device, "_LIBRARY", library)
    monkeypatch.setattr(usb.backend.libusb1, "_lib_object", None)
    monkeypatch.setattr(usb.backend.libusb1, "_lib", None)
    with pytest.raises(PortError) as caught:
        usb_device.libusb()
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("code", "part"),
    [
        (errno.EBUSY, "usb@1-1 is in use by another program; stop that program"),
        (errno.ENODEV, "usb@1-1 was unplugged while it was opened; plug it in again."),
        (errno.EIO, "usb@1-1 cannot be opened (pipe error); unplug it and plug it in again."),
        (None, "usb@1-1 cannot be opened (pipe error); unplug it and plug it in again."),
    ],
)
def test_what_opening_answers(tmp_path: Path, code: int | None, part: str) -> None:
    assert usb_faults.open_fault("usb@1-1", error(code), DEVICE, tmp_path).startswith(part)


def test_a_permission_comes_from_the_rules_or_where_those_are_from_the_group(tmp_path: Path) -> None:
    without = usb_faults.open_fault("usb@1-1", error(errno.EACCES), DEVICE, tmp_path)
    assert "may not open /dev/bus/usb/001/004; run: sudo install -m 644" in without
    rules = tmp_path / "etc/udev/rules.d/60-shoe-bridge.rules"
    rules.parent.mkdir(parents=True)
    rules.touch()
    assert "sudo install" not in usb_faults.open_fault("usb@1-1", error(errno.EACCES), DEVICE, tmp_path)
    stranger = SimpleNamespace(bus=1, address=4, idVendor=0x1234, idProduct=0x0001)
    assert "sudo install" not in usb_faults.open_fault("usb@1-1", error(errno.EPERM), stranger, tmp_path)


@pytest.mark.parametrize(
    ("code", "phrase"),
    [
        (errno.ENODEV, "it was unplugged"),
        (errno.EIO, "it was unplugged or its cable failed"),
        (errno.EOVERFLOW, "its USB transfers fail: pipe error"),
        (None, "its USB transfers fail: pipe error"),
    ],
)
def test_why_it_was_lost(code: int | None, phrase: str) -> None:
    assert usb_faults.lost_phrase(error(code)) == phrase


def test_the_table_is_whole() -> None:
    ids = [(one.vendor, one.product) for one in all_ids()]
    assert len(set(ids)) == len(ids)
    assert all(kind.ids and kind.wire.write_ms > 0 for kind in (*DEVICES.values(), *LIGHTS.values()))
    assert all(kind.is_closed and kind.wire.writes for kind in LIGHTS.values())
    assert all(kind.wire.reads for kind in DEVICES.values())
