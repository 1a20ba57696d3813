"""What crosses a pty is recorded with times, decodes, and can be shared."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import tty
from pathlib import Path

import pytest

from shoe_bridge.cli import run_command
from shoe_bridge.cli.capture_file import read_capture
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.pty_host import PtyHost
from shoe_bridge.sim.tablelink_device import TablelinkDevice
from shoe_bridge.sim.tags import deck_tags
from shoe_bridge.sim.world import World

WAIT_S = 20.0
TAG = deck_tags("blue")[0]


@pytest.fixture
def reader(tmp_path: Path) -> PtyHost:
    world = World()
    world.place(TAG, "board")
    return PtyHost([TablelinkDevice("r", air=Air(world), antennas={1: "board"}, cycle_ms=40)], tmp_path)


def arguments(tmp_path: Path, *more: str) -> list[str]:
    port = str(tmp_path / "r")
    return ["capture", "--device", "tablelink", "--port", port, str(tmp_path / "a.capture"), *more]


def test_a_device_is_asked_and_its_answers_are_recorded(
    tmp_path: Path, reader: PtyHost, capsys: pytest.CaptureFixture[str]
) -> None:
    with reader:
        assert run_command(arguments(tmp_path, "--seconds", "1")) == 0
    assert "frames" in capsys.readouterr().err
    capture = read_capture((tmp_path / "a.capture").read_text(), "a")
    assert (capture.kind, capture.header["line"]) == ("tablelink", "115200 N")
    assert {piece.direction for piece in capture.pieces} == {"<", ">"}
    assert 0 < capture.pieces[-1].at_ns < 2_000_000_000
    assert run_command(["decode", str(tmp_path / "a.capture"), "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    kinds = {message["kind"] for line in lines for message in line.get("messages", ())}
    assert {"Hello", "TagSeen", "HostCommand"} <= kinds
    assert not [line for line in lines if line["type"] == "junk"]


def test_a_redacted_capture_names_no_tag(tmp_path: Path, reader: PtyHost) -> None:
    with reader:
        assert run_command(arguments(tmp_path, "--seconds", "1", "--redact")) == 0
    text = (tmp_path / "a.capture").read_text()
    assert bytes.fromhex(TAG).hex(" ").upper() not in text
    assert "E0 04 00 00 00 00 00 01" in text
    assert str(tmp_path) not in text


def test_listening_writes_nothing_to_the_device(tmp_path: Path) -> None:
    near, far = os.openpty()
    tty.setraw(far)
    (tmp_path / "r").symlink_to(os.ttyname(far))
    late = threading.Timer(0.3, os.write, (near, b"\x7e\x01\x02"))
    late.start()
    assert run_command(arguments(tmp_path, "--listen", "--seconds", "0.8")) == 0
    late.join()
    os.set_blocking(near, False)
    with pytest.raises(BlockingIOError):
        os.read(near, 1)
    os.close(near)
    os.close(far)
    (piece,) = read_capture((tmp_path / "a.capture").read_text(), "a").pieces
    assert (piece.direction, piece.data) == ("<", b"\x7e\x01\x02")


def test_a_port_that_is_lost_ends_the_capture_and_keeps_it(
    tmp_path: Path, reader: PtyHost, capsys: pytest.CaptureFixture[str]
) -> None:
    with reader:
        pulled = threading.Timer(0.5, reader.close)
        pulled.start()
        assert run_command(arguments(tmp_path)) == 1
        pulled.join()
    assert "the port was lost" in capsys.readouterr().err
    text = (tmp_path / "a.capture").read_text()
    assert text.splitlines()[-1].split()[1] == "!"


def test_a_silent_port_says_what_to_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    near, far = os.openpty()
    tty.setraw(far)
    (tmp_path / "r").symlink_to(os.ttyname(far))
    assert run_command(arguments(tmp_path, "--seconds", "0.3")) == 1
    os.close(near)
    os.close(far)
    assert "nothing came" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--baud", "7"), "--baud is 7"),
        (("--parity", "X"), "--parity is 'X'"),
        ((), "does not exist"),
    ],
)
def test_a_capture_that_cannot_be_is_one_sentence_and_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], words: str
) -> None:
    assert run_command(arguments(tmp_path, *more)) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "a.capture").exists()


def test_a_capture_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.capture").write_text("mine")
    assert run_command(arguments(tmp_path)) == 2
    assert "--force" in capsys.readouterr().err
    assert (tmp_path / "a.capture").read_text() == "mine"


def test_ctrl_c_ends_a_capture_that_is_whole(
    tmp_path: Path, reader: PtyHost, environment: dict[str, str]
) -> None:
    with reader:
        command = [sys.executable, "-m", "shoe_bridge", *arguments(tmp_path)]
        child = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
        deadline_s = time.monotonic() + WAIT_S
        file = tmp_path / "a.capture"
        while time.monotonic() < deadline_s and not (file.exists() and " < " in file.read_text()):
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        assert child.wait(WAIT_S) == 0
        assert child.stderr is not None
        said = child.stderr.read().decode()
        child.stderr.close()
    assert "Traceback" not in said
    assert file.read_text().endswith("\n")


@pytest.mark.parametrize("more", [[], ["--listen"]])
def test_seconds_count_while_a_device_is_waited_for(tmp_path: Path, more: list[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        number = free.getsockname()[1]
    file = tmp_path / "a.capture"
    verb = [sys.executable, "-m", "shoe_bridge", "capture", "--device", "feig_obid", "--seconds", "0.5"]
    command = [*verb, "--port", f"listen://127.0.0.1:{number}", str(file), *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "nothing came" in done.stderr
    capture = read_capture(file.read_text(), "a")
    assert capture.entries == ()
    # a port is listened at for 10 s
    assert float(done.stderr.partition(": ")[2].partition(" s,")[0]) < 5


OWN = r"at (?P<antenna>[0-9]): (?P<uid>[0-9A-F]{8,20})"


def own_lines(tmp_path: Path, *more: str) -> str:
    """A recording of a reader that prints lines of the house's own, redacted."""
    near, far = os.openpty()
    tty.setraw(far)
    (tmp_path / "r").symlink_to(os.ttyname(far))
    late = threading.Timer(0.3, os.write, (near, b"at 3: 04A1B2C3D4E5F6\r\nat 4: 04A1B2C3D4E5F6\r\n"))
    late.start()
    try:
        file = tmp_path / "a.capture"
        shared = ["capture", "--device", "text_line", "--port", str(tmp_path / "r"), str(file), "--redact"]
        assert run_command([*shared, "--seconds", "0.8", *more]) == 0
    finally:
        late.join()
        os.close(near)
        os.close(far)
    return b"".join(piece.data for piece in read_capture(file.read_text(), "a").pieces).decode()


def test_lines_of_the_house_are_renamed_by_its_own_pattern(tmp_path: Path) -> None:
    lines = own_lines(tmp_path, "--pattern", OWN).splitlines()
    assert "04A1B2C3D4E5F6" not in "".join(lines)
    (first, second) = [re.fullmatch(OWN, line) for line in lines]
    assert first is not None
    assert second is not None
    assert (first["antenna"], second["antenna"]) == ("3", "4")
    assert first["uid"] == second["uid"]
    assert len(first["uid"]) == 14


def test_without_the_pattern_they_are_blanked(tmp_path: Path) -> None:
    assert [re.fullmatch(OWN, line) for line in own_lines(tmp_path).splitlines()] == [None, None]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--preset", "wohlig"], "--preset and --pattern are for --redact"),
        (["--preset", "wohlig", "--redact"], "a tablelink has no preset and no pattern"),
        (["--pattern", "(?P<uid>", "--redact"], "for text_line"),
    ],
)
def test_lines_that_are_not_to_be_renamed_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], why: str
) -> None:
    assert run_command(arguments(tmp_path, *more)) == 2
    assert why in capsys.readouterr().err
    assert not (tmp_path / "a.capture").exists()
