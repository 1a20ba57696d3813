"""A file is replaced whole or not at all."""

import errno
import os
from pathlib import Path

import pytest

from shoe_bridge.cli.whole_file import replace_file
from shoe_bridge.errors import UsageError


def test_a_full_disk_leaves_the_old_file_and_nothing_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a"
    file.write_text("old")

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("shoe_bridge.cli.whole_file.os.fsync", full)
    with pytest.raises(UsageError) as caught:
        replace_file(file, "new")
    fix = "free some space on that disk"
    assert str(caught.value) == f"{file} cannot be written (no space left on device): {fix}"
    assert (file.read_text(), os.listdir(tmp_path)) == ("old", ["a"])
