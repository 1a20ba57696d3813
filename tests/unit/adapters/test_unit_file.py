"""The systemd files in `udev/`: what the bridge needs of its unit, and that the README knows every file."""

from pathlib import Path

FOLDER = Path(__file__).parents[3] / "udev"


def unit() -> dict[str, dict[str, list[str]]]:
    """Section -> key -> its values: some keys stand several times."""
    sections: dict[str, dict[str, list[str]]] = {}
    section = ""
    for line in (FOLDER / "shoe-bridge@.service").read_text().splitlines():
        if line.startswith("["):
            section = line.strip("[]")
            sections[section] = {}
        elif line and not line.startswith("#"):
            key, _, value = line.partition("=")
            sections[section].setdefault(key, []).append(value)
    return sections


def test_bridge_is_watched_and_never_given_up() -> None:
    service = unit()["Service"]
    assert service["Type"] == ["notify"]
    assert service["Restart"] == ["always"]
    assert int(service["WatchdogSec"][0]) > 0
    assert unit()["Unit"]["StartLimitIntervalSec"] == ["0"]


def test_bridge_runs_as_its_own_user_with_its_own_folder() -> None:
    service = unit()["Service"]
    assert service["User"] == ["shoe-bridge"]
    assert service["SupplementaryGroups"] == ["dialout"]
    (command,) = service["ExecStart"]
    assert command.endswith("run --config /etc/shoe-bridge/%i.toml --state /var/lib/shoe-bridge/%i --wait")
    assert service["StateDirectory"] == ["shoe-bridge/%i"]


def test_a_driver_loaded_later_is_not_locked_out() -> None:
    assert unit()["Service"]["DeviceAllow"] == ["char-* rw"]


def test_clock_may_be_asked() -> None:
    assert "ProtectClock" not in unit()["Service"]
    assert any("adjtimex" in value for value in unit()["Service"]["SystemCallFilter"])


def test_user_and_folders_agree_with_the_unit() -> None:
    users = (FOLDER / "shoe-bridge.sysusers.conf").read_text().splitlines()
    assert "m shoe-bridge dialout" in users
    folders = (FOLDER / "shoe-bridge.tmpfiles.conf").read_text().split()
    assert {"/etc/shoe-bridge", "/var/lib/shoe-bridge"} <= set(folders)


def test_readme_says_where_each_file_goes() -> None:
    readme = (FOLDER / "README.md").read_text()
    files = {path.name for path in FOLDER.iterdir()} - {"README.md"}
    assert files
    assert all(f"| `{name}` |" in readme for name in files)
