"""Files that are read whole, and what is told of one that cannot be written."""

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from shoe_bridge.cli import run_command
from shoe_bridge.plain_file import NotPlainError, read_bounded, read_plain, write_fault


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"x" * 2_097_152)
    assert read_plain(file, 2_097_152) == file.read_bytes()
    with pytest.raises(NotPlainError, match="it has more than 1 MB"):
        read_plain(file, 1_048_576)


def test_what_is_no_plain_file_is_named_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("pipe", "link"):
        with pytest.raises(NotPlainError, match="it is a pipe"):
            read_plain(tmp_path / name)
    with pytest.raises(NotPlainError, match="it is a device"):
        read_plain(Path("/dev/zero"))
    with pytest.raises(NotPlainError, match="it has more than 4 MB"):
        read_bounded(Path("/dev/zero"))
    with pytest.raises(IsADirectoryError):
        read_plain(tmp_path)


@pytest.mark.parametrize(
    ("code", "fix"),
    [
        (errno.ENOSPC, "free some space on that disk"),
        (errno.EDQUOT, "free some space on that disk"),
        (errno.EFBIG, "raise the limit on the size of files, `ulimit -f`"),
        (errno.EACCES, "choose a folder you may write"),
        (errno.EROFS, "choose a folder you may write"),
    ],
)
def test_the_fix_is_that_of_the_fault(code: int, fix: str) -> None:
    assert write_fault(OSError(code, os.strerror(code))) == f"({os.strerror(code).lower()}): {fix}"


def test_a_configuration_without_an_end_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["run", "--check", "--config", "/dev/zero"]) == 2
    said = capsys.readouterr().err
    assert said == (
        "shoe-bridge: The configuration /dev/zero is no such file (it is a device): name a TOML file.\n"
    )


DECODE = [sys.executable, "-m", "shoe_bridge", "decode", "--device", "pn532", "--hex", "00"]


def test_a_full_standard_output_is_named(tmp_path: Path) -> None:
    def narrow() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    file = tmp_path / "out.txt"
    with file.open("w") as out:
        done = subprocess.run(
            DECODE, stdout=out, stderr=subprocess.PIPE, text=True, check=False, preexec_fn=narrow
        )
    assert (done.returncode, done.stderr) == (
        1,
        f"shoe-bridge: {file} cannot be written (file too large): raise the limit on the size of files,"
        " `ulimit -f` and try again.\n",
    )
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(DECODE, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        1,
        "shoe-bridge: The standard output cannot be written (no space left on device): free some space on"
        " that disk and try again.\n",
    )


def test_another_file_on_a_full_disk_is_not_taken_for_the_standard_output(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:  # another file than the standard output
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("shoe_bridge.cli._run", full)
    monkeypatch.setattr("shoe_bridge.cli._drop_output", lambda: None)  # it would take the output of this run
    assert run_command(["list"]) == 1
    assert "the system refused: no space left on device" in capsys.readouterr().err
