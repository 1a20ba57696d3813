"""The lines of a capture as they come: of one version, in order, one at a time."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from protocol.hid_keys import encode_keys
from shoe_bridge.cli import run_command
from shoe_bridge.cli.capture_file import LONGEST_LINE, MAGIC, CaptureLines, Piece, is_capture, whole_lines
from shoe_bridge.errors import UsageError

F1 = 0x3A


@pytest.mark.parametrize("version", ["12", "1.1", "1 beta", "2"])
def test_a_capture_of_another_version_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], version: str
) -> None:
    file = tmp_path / "a.capture"
    file.write_text(f"# shoe-bridge capture {version}\n# device: pn532\n 1.0 < 00 00 FF 00 FF 00\n")
    assert run_command(["decode", str(file)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert f"line 1: this is a capture of version '{version}', and version 1 is read here" in said.err


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_and_marks_of_other_systems_are_no_other_version(end: str) -> None:
    text = f"\ufeff{MAGIC}{end}# device: pn532{end}1.0 < 00{end}"
    assert is_capture(text.encode())
    lines = CaptureLines(whole_lines([text.encode()], "x"), "x")
    assert (lines.header, list(lines)) == ({"device": "pn532"}, [Piece(1_000_000, "<", b"\0")])


def test_an_entry_is_told_before_the_next_one_is_there() -> None:
    taken: list[bytes] = []

    def chunks() -> Iterator[bytes]:
        yield f"{MAGIC}\n# device: pn532\n".encode()
        for number in range(1, 1_000_000):  # far more than could be taken in this time
            taken.append(b"%d.0 < 00\n" % number)
            yield taken[-1]

    entries = iter(CaptureLines(whole_lines(chunks(), "x"), "x"))
    assert [next(entries).at_ns for _ in range(3)] == [1_000_000, 2_000_000, 3_000_000]
    assert len(taken) <= 4


def test_a_line_without_an_end_is_refused_before_it_fills_the_memory() -> None:
    given = 0

    def chunks() -> Iterator[bytes]:
        nonlocal given
        yield f"{MAGIC}\n# device: pn532\n".encode()
        while True:
            given += 65_536
            yield b"0" * 65_536

    with pytest.raises(UsageError, match="x, line 3: it does not end"):
        list(whole_lines(chunks(), "x"))
    assert given <= LONGEST_LINE + 2 * 65_536


def test_decode_tells_a_line_of_a_pipe_while_the_pipe_goes_on() -> None:
    command = [sys.executable, "-m", "shoe_bridge", "decode", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(b"# shoe-bridge cap")
        child.stdin.flush()
        child.stdin.write(b"ture 1\n# device: pn532\n 1.0 < 00 00 FF 00 FF 00\n")
        child.stdin.flush()
        assert b"1.000 < frame" in child.stdout.readline()
        assert child.poll() is None
        child.stdin.close()
        assert child.wait(20) == 0


def test_the_reports_of_a_usb_keypad_are_told_apart_as_on_the_live_link(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two = encode_keys((F1,)) + encode_keys(())
    file = tmp_path / "a.capture"
    text = f"{MAGIC}\n# device: hid_keyboard\n# reads: one report each\n1.0 < {two.hex(' ')}\n"
    file.write_text(text + f"2.0 < {two[:8].hex(' ')}{os.linesep}")
    assert run_command(["decode", "--keys", "boot", str(file)]) == 0
    junk, frame = capsys.readouterr().out.splitlines()
    assert "1.000 < junk     BAD_LENGTH" in junk
    assert "2.000 < frame    KeysDown keys=58" in frame
    file.write_text(text.replace("# reads: one report each\n", ""))  # a pty cuts them anywhere
    assert run_command(["decode", "--keys", "boot", str(file)]) == 0
    assert [line.split()[2] for line in capsys.readouterr().out.splitlines()] == ["frame", "frame"]
