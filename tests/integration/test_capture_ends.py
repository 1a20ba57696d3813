"""However a capture ends, a file that may be shared names no tag, and a full disk is one sentence."""

import json
import os
import resource
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoe_bridge.cli import run_command
from shoe_bridge.cli.capture_file import read_capture

WAIT_S = 20.0
VECTORS = Path(__file__).parents[2] / "protocol" / "vectors" / "feig_obid.jsonl"
TAG = "E0 04 01 50 A0 5F 02 B7"
FRAME = bytes.fromhex("1100B0000103 00E0040150A05F02B7 D7BE")
LIMIT = 4000  # bytes


class Server:
    """A reader at `port` that says one tag again and again, and then `last`."""

    def __init__(self, last: bytes = b"") -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = f"socket://127.0.0.1:{self._listener.getsockname()[1]}"
        self._last = last
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                wire, _ = self._listener.accept()
            except OSError:
                return
            with wire:
                try:
                    while True:
                        wire.sendall(FRAME)
                        time.sleep(0.01)
                        wire.sendall(self._last)
                except OSError:
                    pass

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def command(server: Server, file: str, *more: str) -> list[str]:
    verb = ["capture", "--device", "feig_obid", "--listen", "--port", server.port, file]
    return [sys.executable, "-m", "shoe_bridge", *verb, *more]


def recording(file: Path) -> bool:
    return file.exists() and file.read_text().count(TAG) > 3


def wait_for(file: Path) -> None:
    deadline_s = time.monotonic() + WAIT_S
    while not recording(file):
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_redacted_capture_that_is_whole(
    tmp_path: Path, server: Server, environment: dict[str, str], number: signal.Signals
) -> None:
    file, raw = tmp_path / "a.capture", tmp_path / ".a.capture.raw"
    line = command(server, str(file), "--redact")
    with subprocess.Popen(line, env=environment, stderr=subprocess.PIPE) as child:
        wait_for(raw)
        assert stat.S_IMODE(raw.stat().st_mode) == 0o600
        assert not file.exists()
        child.send_signal(number)
        assert child.wait(WAIT_S) == 0
    assert not raw.exists()
    assert TAG not in file.read_text()
    received = b"".join(piece.data for piece in read_capture(file.read_text(), "a").pieces)
    assert len(received) >= 3 * len(FRAME)  # however many of them one read brought


def test_a_capture_that_is_killed_leaves_no_file_to_share_and_says_what_it_left(
    tmp_path: Path, server: Server, environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    file, raw = tmp_path / "a.capture", tmp_path / ".a.capture.raw"
    line = command(server, str(file), "--redact")
    with subprocess.Popen(line, env=environment, stderr=subprocess.PIPE) as child:
        wait_for(raw)
        child.kill()
    assert not file.exists()
    again = [*line[3:], "--seconds", "0.5"]
    assert run_command(again) == 2
    said = capsys.readouterr().err
    assert f"{raw} is left of a capture that was broken off, and names its tags" in said
    assert f"`shoe-bridge decode {raw} --redact {file}`" in said
    assert run_command(["decode", str(raw), "--redact", str(file)]) == 0
    assert TAG not in file.read_text()
    assert run_command([*again, "--force"]) == 0
    assert not raw.exists()
    assert TAG not in file.read_text()


def test_a_capture_that_cannot_be_redacted_stays_with_its_user(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    telling = next(
        bytes.fromhex(vector["hex"])
        for vector in map(json.loads, VECTORS.read_text().splitlines())
        if "srix" in json.dumps(vector["expect"])
    )
    server = Server(telling)
    file, raw = tmp_path / "a.capture", tmp_path / ".a.capture.raw"
    assert run_command([*command(server, str(file), "--redact", "--seconds", "0.5")[3:]]) == 2
    server.close()
    said = capsys.readouterr().err
    assert said.startswith(f"shoe-bridge: {raw} cannot be redacted: the frame at ")
    assert said.endswith(f"{file} was not made, and {raw} names the tags: share it with nobody.\n")
    assert not file.exists()
    assert stat.S_IMODE(raw.stat().st_mode) == 0o600


@pytest.mark.parametrize("more", [[], ["--redact"]])
def test_a_full_disk_ends_a_capture_at_once_with_one_sentence(
    tmp_path: Path, server: Server, environment: dict[str, str], more: list[str]
) -> None:
    def narrow() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    file = tmp_path / "a.capture"
    written = tmp_path / ".a.capture.raw" if more else file
    line = command(server, str(file), "--seconds", "60", *more)
    done = subprocess.run(
        line, env=environment, capture_output=True, text=True, check=False, timeout=WAIT_S, preexec_fn=narrow
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"{written} cannot be written (file too large): raise the limit" in done.stderr
    assert file.exists() is not bool(more)
    assert written.stat().st_size == LIMIT
    lines = written.read_text().splitlines(keepends=True)
    whole = [line for line in lines if " < " in line and line.endswith("\n")]
    assert f"the first {len(whole)} reads" in done.stderr


def test_a_pipe_that_is_closed_ends_a_capture_quietly(server: Server, environment: dict[str, str]) -> None:
    line = command(server, "-", "--seconds", "60")
    with subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        os.read(child.stdout.fileno(), 64)
        child.stdout.close()
        assert child.wait(WAIT_S) == 1
        assert child.stderr.read() == b""
