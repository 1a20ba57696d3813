"""Names of USB devices: what they say, and which may mean the same device."""

import pytest

from shoe_bridge.adapters.usb_names import UsbName, is_usb, may_be_same, usb_name


@pytest.mark.parametrize(
    ("port", "name"),
    [
        ("usb:27b8:01ed", UsbName("27b8:01ed")),
        ("usb:27B8:01ED", UsbName("27b8:01ed")),
        ("usb:27b8:01ed:2A3b/4:c", UsbName("27b8:01ed", "2A3b/4:c")),
        ("usb@1-1", UsbName(path="1-1")),
        ("usb@12-1.4.2", UsbName(path="12-1.4.2")),
    ],
)
def test_names(port: str, name: UsbName) -> None:
    assert is_usb(port)
    assert usb_name(port) == name


@pytest.mark.parametrize(
    "port",
    [
        "usb:",
        "usb:27b8",
        "usb:27b8:01e",
        "usb:27b8:01ed:",
        "usb:27b8:01ed:a b",
        "usb@",
        "usb@1",
        "usb@1-",
        "usb@1-1.",
    ],
)
def test_what_is_no_name(port: str) -> None:
    assert is_usb(port)
    assert usb_name(port) is None


@pytest.mark.parametrize("port", ["/dev/ttyUSB0", "socket://usb:1", "USB:27b8:01ed", ""])
def test_other_ports(port: str) -> None:
    assert not is_usb(port)
    assert usb_name(port) is None


@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        ("usb:27b8:01ed", "usb:27B8:01ED", True),
        ("usb:27b8:01ed", "usb:27b8:01ed:A", True),
        ("usb:27b8:01ed:A", "usb:27b8:01ed:A", True),
        ("usb:27b8:01ed:A", "usb:27b8:01ed:B", False),
        ("usb:27b8:01ed", "usb:27b8:01ee", False),
        ("usb@1-1", "usb@1-1", True),
        ("usb@1-1", "usb@1-1.1", False),
        ("usb@1-1", "usb:27b8:01ed", False),
    ],
)
def test_which_may_be_the_same(one: str, other: str, may: bool) -> None:
    names = [usb_name(one), usb_name(other)]
    first, second = (name for name in names if name is not None)
    assert may_be_same(first, second) is may
    assert may_be_same(second, first) is may
