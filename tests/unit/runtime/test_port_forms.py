"""Names that no port has are refused before anything is opened; those that may have one are not."""

from pathlib import Path

import pytest

from shoe_bridge.runtime.port_forms import impossible


@pytest.mark.parametrize(
    "port",
    [
        "/dev/shoe-bridge/reader-1",
        "/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0",
        "/dev/inputs",
        "socket://10.0.0.7:4001",
        "socket://127.1:4001",
        "rfc2217://moxa-1.casino.example.:950",
        "listen://0.0.0.0:10001",
        "socket://reader_1:1",
        "socket://4all:65535",
        "socket://[fe80::1]:4001",
        "socket://[::ffff:10.0.0.7]:4001",
    ],
)
def test_what_may_be_a_port(port: str) -> None:
    assert impossible(port) is None


@pytest.mark.parametrize(
    ("port", "why"),
    [
        ("/dev/tty\x1b[2J", "a character that no name has"),
        ("/dev/tty\nUSB0", "a character that no name has"),
        ("socket://a\x07:1", "a character that no name has"),
        ("/dev/", "a folder"),
        ("/dev/..", "a folder"),
        ("/dev", "a folder"),
        ("/dev/" + "x" * 256, "longer than a path can be"),
        ("/" + "x/" * 2100 + "x", "longer than a path can be"),
        ("/dev/input/event0", "no serial port (a USB device has a name"),
        ("//dev//input/by-id/usb-Sycreader-event-kbd", "no serial port (a USB device has a name"),
        ("/dev/hidraw0", "no serial port (a USB device has a name"),
        ("socket://a..b:700", "no name that a host can have"),
        ("socket://.a:700", "no name that a host can have"),
        ("socket://-a:700", "no name that a host can have"),
        ("socket://...:700", "no name that a host can have"),
        ("socket://" + "a" * 64 + ".b:700", "no name that a host can have"),
        ("socket://" + "a." * 150 + "b:700", "no name that a host can have"),
        ("socket://10.0.0.256:700", "no IPv4 address"),
        ("socket://1.2.3.4.5:700", "no IPv4 address"),
        ("socket://[:::::1]:700", "no IPv6 address"),
        ("socket://[1.2.3.4]:700", "no IPv6 address"),
    ],
)
def test_what_is_no_port(port: str, why: str) -> None:
    assert why in (impossible(port) or "")


@pytest.mark.parametrize("port", ["socket://a:0", "socket://a:65536", "socket://a", "COM3", ""])
def test_what_has_no_form_of_a_port_is_refused_without_more(port: str) -> None:
    assert impossible(port) == ""


def test_what_is_there_and_is_no_device_is_no_port(tmp_path: Path) -> None:
    assert impossible(str(tmp_path)) == "which is a folder"
    (tmp_path / "notes.txt").write_text("x")
    assert impossible(str(tmp_path / "notes.txt")) == "which is a regular file"
    assert impossible(str(tmp_path / "not-there")) is None
    assert impossible("/dev/null") is None
