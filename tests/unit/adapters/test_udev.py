"""The rules files are the adapter table, and are text that udev accepts."""

import re
from pathlib import Path

import pytest

from shoe_bridge.adapters import udev

FOLDER = Path(__file__).parents[3] / "udev"
# one key of a rule: NAME{attribute} operator "value"
_KEY = re.compile(r'[A-Z_]+(?:\{[A-Za-z0-9_/]+\})?(?:==|!=|\+=|=)"[^"]*"')
_MATCH_ONLY = ("SUBSYSTEM", "SUBSYSTEMS", "ATTRS", "KERNELS", "ACTION", "TEST")


def rules(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [line.split(", ") for line in lines]


@pytest.mark.parametrize(
    ("name", "text"),
    [(udev.RULES_FILE, udev.rules_text()), (udev.BRLTTY_RULES_FILE, udev.brltty_rules_text())],
)
def test_shipped_file_is_what_the_table_gives(name: str, text: str) -> None:
    assert (FOLDER / name).read_text() == text, "write it anew: python -m shoe_bridge.adapters.udev udev"


def test_write_rules_writes_both_files(tmp_path: Path) -> None:
    udev.write_rules(tmp_path)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        udev.RULES_FILE: udev.rules_text(),
        udev.BRLTTY_RULES_FILE: udev.brltty_rules_text(),
    }


@pytest.mark.parametrize("text", [udev.rules_text(), udev.brltty_rules_text()])
def test_every_rule_is_made_of_whole_keys(text: str) -> None:
    assert rules(text)
    for rule in rules(text):
        for key in rule:
            assert _KEY.fullmatch(key), key
            if key.startswith(_MATCH_ONLY):
                assert re.search(r'[=!]="', key), f"{key} assigns to what can only be matched"


def test_jumps_lead_to_labels_and_labels_stand_alone() -> None:
    text = udev.rules_text()
    jumps = re.findall(r'GOTO="(\w+)"', text)
    assert jumps
    assert set(jumps) == set(re.findall(r'^LABEL="(\w+)"$', text, re.M))


@pytest.mark.parametrize("adapter", udev.ADAPTERS, ids=lambda adapter: adapter.chip)
def test_each_adapter_is_kept_from_suspend_modemmanager_and_brltty(adapter: udev.UsbAdapter) -> None:
    ids = f'ATTR{{idVendor}}=="{adapter.vendor}", ATTR{{idProduct}}=="{adapter.product}"'
    mine = [line for line in udev.rules_text().splitlines() if ids in line]
    assert any('ENV{ID_MM_DEVICE_IGNORE}="1"' in line for line in mine)
    assert any('ATTR{power/control}="on"' in line for line in mine)
    brltty = [line for line in udev.brltty_rules_text().splitlines() if ids in line]
    assert len(brltty) == 1
    assert brltty[0].endswith('ENV{BRLTTY_BRAILLE_DRIVER}="", ENV{SYSTEMD_WANTS}=""')


@pytest.mark.parametrize("adapter", udev.ADAPTERS, ids=lambda adapter: adapter.chip)
def test_each_adapter_is_for_the_group_and_a_serial_one_has_a_link(adapter: udev.UsbAdapter) -> None:
    kind = "ATTRS" if adapter.is_serial else "ATTR"
    ids = f'{kind}{{idVendor}}=="{adapter.vendor}", {kind}{{idProduct}}=="{adapter.product}"'
    mine = [line for line in udev.rules_text().splitlines() if ids in line]
    assert sum('GROUP="dialout", MODE="0660"' in line for line in mine) == 1
    links = [line for line in mine if f'SYMLINK+="shoe-bridge/{adapter.chip}-$env{{ID_PATH_TAG}}"' in line]
    assert len(links) == (1 if adapter.is_serial else 0)


def test_ids_are_lower_case_hex_and_named_once() -> None:
    ids = [adapter.vendor + adapter.product for adapter in udev.ADAPTERS]
    assert all(re.fullmatch(r"[0-9a-f]{8}", one) for one in ids)
    assert len(set(ids)) == len(ids) == len({adapter.chip for adapter in udev.ADAPTERS})


def test_files_sort_between_what_they_need_and_what_they_undo() -> None:
    assert "60-serial.rules" < udev.RULES_FILE < Path(udev.NAMES_FILE).name
    assert "90-brltty-usb-generic.rules" < udev.BRLTTY_RULES_FILE < "99-systemd.rules"


def test_adapter_is_found_by_either_case_of_its_id() -> None:
    found = udev.adapter_of("1A86:7523")
    assert found is not None
    assert found.chip == "ch340"
    assert udev.adapter_of("ffff:0000") is None
    assert udev.adapter_of(None) is None


def test_name_rule_links_the_socket_to_the_name() -> None:
    assert udev.name_rule("reader-1", "1-1.2") == (
        'SUBSYSTEM=="tty", SUBSYSTEMS=="usb", KERNELS=="1-1.2", SYMLINK+="shoe-bridge/reader-1"'
    )
    assert _KEY.fullmatch(udev.name_rule("keys.1", "3-2:1.0").split(", ")[2])


@pytest.mark.parametrize(("name", "location"), [('x", RUN+="sh', "1-1"), ("reader-1", '1-1"'), ("", "1-1")])
def test_name_rule_refuses_what_would_break_the_file(name: str, location: str) -> None:
    with pytest.raises(ValueError, match="no udev rule can be made"):
        udev.name_rule(name, location)


def test_install_command_names_files_that_are_there() -> None:
    words = udev.install_command().split()
    files = [Path(word) for word in words if word.endswith(".rules")]
    assert [file.name for file in files] == [udev.RULES_FILE, udev.BRLTTY_RULES_FILE]
    assert all(file.is_file() for file in files)
