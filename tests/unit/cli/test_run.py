"""Where `run` keeps its journal when nobody says so."""

from pathlib import Path

import pytest

from shoe_bridge.cli.run import state_folder


@pytest.mark.parametrize(
    ("systemd", "xdg", "folder"),
    [
        ("/var/lib/shoe-bridge", "/x", "/var/lib/shoe-bridge/t1"),
        ("/var/lib/shoe-bridge:/var/lib/other", None, "/var/lib/shoe-bridge/t1"),
        ("", "/x", "/x/shoe-bridge/t1"),
        (":", "", "/home/dealer/.local/state/shoe-bridge/t1"),
        (None, "state", "/home/dealer/.local/state/shoe-bridge/t1"),
        (None, None, "/home/dealer/.local/state/shoe-bridge/t1"),
    ],
)
def test_the_journal_never_lies_where_the_command_was_given(
    systemd: str | None, xdg: str | None, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("STATE_DIRECTORY", systemd), ("XDG_STATE_HOME", xdg), ("HOME", "/home/dealer")):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    assert state_folder("t1") == Path(folder)
