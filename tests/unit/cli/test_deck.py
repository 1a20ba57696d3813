import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from protocol.hid_rule import text_of, typed_rule
from shoe_bridge.cli import run_command
from shoe_bridge.cli.deck_check import DeckCheck
from shoe_bridge.cli.deck_enrol import ORDER, Enrolment, card_name
from shoe_bridge.cli.deck_tags import TagRead, parse_line
from shoe_bridge.runtime.decks import load_register, save_register, tag_fault
from shoe_bridge.sim.tags import EPC, tag_uid
from shoe_bridge.table.cards import STANDARD_52
from shoe_bridge.table.deck import Deck, Register

TAGS = tuple(f"E0040000000000{number:02X}" for number in range(52))
RED = Deck("red", {f"E00411111111{number:04X}": card for number, card in enumerate(ORDER)})
CONFIG = """
[table]
id = "t-1"
game = "holdem"
seats = 1
[[device]]
name = "reader-1"
kind = "tablelink"
port = "/dev/shoe-bridge/reader-1"
antennas = { 1 = "seat 1", 2 = "board", 3 = "burn" }
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "decks.toml"


def tags_file(tmp_path: Path, *lines: str) -> str:
    path = tmp_path / "tags.txt"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def register(file: Path, tags: str, *more: str) -> int:
    return run_command(["deck", "register", "--file", str(file), "--deck", "blue", "--tags", tags, *more])


# -- before the first card, and what is told of what is no tag


def test_a_folder_that_is_not_there_is_told_before_a_card_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "none" / "decks.toml"
    assert register(file, tags_file(tmp_path, *TAGS)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert f"The folder {file.parent} of the deck register {file} does not exist: make it" in said.err


def test_a_folder_that_may_not_be_written_is_told_before_a_card_is_asked_for(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoe_bridge.cli.deck_enrol.os.access", lambda path, mode: not mode & os.W_OK)
    assert register(file, tags_file(tmp_path, *TAGS)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "may not be written" in said.err


@pytest.mark.parametrize(
    ("line", "shown"),
    [("E0" * 5000, "E0" * 18 + "E..."), ("\0\0", "\\x00\\x00"), ("É\x1b[2J", "\\xc9\\x1b[2J")],
)
def test_what_is_no_tag_is_told_short_and_plain(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, shown: str
) -> None:
    assert register(file, tags_file(tmp_path, line)) == 1
    first = capsys.readouterr().err.splitlines()[0]
    assert first.startswith(f"{shown} was refused: ")
    assert len(first) < 140
    save_register(file, Register((RED,)))
    assert run_command(["deck", "check", "--file", str(file), "--tags", tags_file(tmp_path, line)]) == 1
    assert f"  does not belong: {shown}, in no deck" in capsys.readouterr().out


def test_tags_without_an_end_are_one_sentence(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert register(file, "/dev/zero") == 2
    assert "The tags in /dev/zero are too many (it has more than 4 MB)" in capsys.readouterr().err


# -- lines and tags


@pytest.mark.parametrize(
    ("line", "tag", "card"),
    [
        ("e004015000000001", "E004015000000001", None),
        ("E0:04:01:50:00:00:00:01", "E004015000000001", None),
        ("ad 04 01 50 00 00 01  # the seventh", "AD040150000001", None),
        ("As E004015000000001", "E004015000000001", "As"),
        ("Ad=04a1b2c3", "04A1B2C3", "Ad"),
        ("2c 04a1b2c3", "04A1B2C3", "2c"),
        ("\ufeff2c 04a1b2c3", "04A1B2C3", "2c"),
    ],
)
def test_a_line_is_a_tag_with_or_without_its_card(line: str, tag: str, card: str | None) -> None:
    assert parse_line(line) == TagRead(tag, card)


@pytest.mark.parametrize("line", ["", "   ", "# spades"])
def test_a_line_may_be_empty(line: str) -> None:
    assert parse_line(line) is None


@pytest.mark.parametrize("size", [2, 4, 7, 8, 10, 12, 16, 62])
def test_a_tag_of_a_usual_length_is_good(size: int) -> None:
    assert tag_fault("E0" * size) is None


@pytest.mark.parametrize(
    ("tag", "why"),
    [
        ("08A1B2C3", "random id"),
        ("E0" * 5, "it has 5 bytes,"),
        ("E0" * 9, "it has 9 bytes,"),
        ("E2" * 64, "it has 64 bytes, and a tag has 4, 7, 8 or 10 bytes, an EPC 2 to 62 in pairs"),
        ("E0", "it has 1 byte,"),
        ("E", "it has 1 hex digit,"),
        ("E04", "3 hex digits"),
        ("E004XY", "not upper-case hex"),
        ("", "not upper-case hex"),
    ],
)
def test_a_tag_that_cannot_stand_for_a_card_is_refused(tag: str, why: str) -> None:
    assert why in (tag_fault(tag) or "")


# -- enrolment


def test_the_order_is_stated_and_whole() -> None:
    assert ORDER[:2] == ("As", "2s")
    assert ORDER[12:14] == ("Ks", "Ah")
    assert sorted(ORDER) == sorted(STANDARD_52)
    assert card_name("Td") == "10 of diamonds"


def test_tags_become_cards_in_that_order() -> None:
    enrolment = Enrolment("blue", Register(()))
    assert [enrolment.offer(TagRead(tag)).card for tag in TAGS] == list(ORDER)
    assert enrolment.due is None
    assert "all 52" in (enrolment.offer(TagRead("E004FFFFFFFFFFFF")).refused or "")


def test_what_contradicts_itself_is_refused_and_the_card_stays_due() -> None:
    enrolment = Enrolment("blue", Register((RED,)))
    enrolment.offer(TagRead(TAGS[0]))
    for read, why in (
        (TagRead(TAGS[0]), "is the ace of spades already"),
        (TagRead(TAGS[1], "As"), "the ace of spades has a tag already"),
        (TagRead(next(iter(RED.tags))), "belongs to deck red"),
        (TagRead("08A1B2C3"), "random id"),
    ):
        offered = enrolment.offer(read)
        assert offered.card is None
        assert why in (offered.refused or "")
        assert read.tag in (offered.refused or "")
    assert enrolment.due == "2s"
    assert enrolment.offer(TagRead(TAGS[2], "Kh")).card == "Kh"
    assert enrolment.due == "2s"


def test_a_clone_is_refused_and_taken_back_from_its_card() -> None:
    enrolment = Enrolment("blue", Register(()))
    enrolment.offer(TagRead(TAGS[0]))
    enrolment.offer(TagRead(TAGS[1]))
    offered = enrolment.offer(TagRead(TAGS[0], is_clone=True))
    assert offered.card is None
    assert "two antennas at once" in (offered.refused or "")
    assert "the ace of spades is without a tag again" in (offered.refused or "")
    assert enrolment.tags == {TAGS[1]: "2s"}
    assert enrolment.due == "As"
    strange = enrolment.offer(TagRead("E004FFFFFFFFFFFF", is_clone=True)).refused or ""
    assert "without a tag" not in strange
    assert enrolment.offer(TagRead(TAGS[0])).card == "As"


# -- register


def test_a_deck_is_registered(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert register(file, tags_file(tmp_path, *TAGS)) == 0
    (deck,) = load_register(file).decks
    assert (deck.id, deck.tags[TAGS[0]], deck.tags[TAGS[51]]) == ("blue", "As", "Kc")
    out = capsys.readouterr().out
    assert "lay down the ace of spades (1 of 52)" in out
    assert "lay down the king of clubs (52 of 52)" in out
    assert list(tmp_path.glob("*.partial")) == []


def test_a_second_deck_goes_behind_the_first(file: Path, tmp_path: Path) -> None:
    save_register(file, Register((RED,)))
    assert register(file, tags_file(tmp_path, *TAGS)) == 0
    assert [deck.id for deck in load_register(file).decks] == ["red", "blue"]


def test_a_known_deck_is_kept_unless_it_is_to_be_replaced(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_register(file, Register((Deck("blue", {"E004FFFFFFFFFFFF": "As"}), RED)))
    before = file.read_bytes()
    tags = tags_file(tmp_path, *TAGS)
    assert register(file, tags) == 2
    assert "--anew" in capsys.readouterr().err
    assert file.read_bytes() == before
    assert register(file, tags, "--anew") == 0
    assert [(deck.id, len(deck.tags)) for deck in load_register(file).decks] == [("blue", 52), ("red", 52)]


def test_what_was_read_is_kept_and_gone_on_with(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert register(file, tags_file(tmp_path, *TAGS[:20], TAGS[3], "08A1B2C3")) == 1
    told = capsys.readouterr()
    assert "20 of 52" in told.err
    assert "--resume" in told.err
    assert told.err.count("was refused") == 2
    assert not file.exists()
    rest = tags_file(tmp_path, *TAGS[20:])
    assert register(file, rest) == 2  # neither thrown away nor gone on with unasked
    assert register(file, rest, "--resume") == 0
    assert "lay down the 8 of hearts (21 of 52)" in capsys.readouterr().out
    assert load_register(file).decks[0].tags[TAGS[20]] == "8h"


def test_tags_come_from_the_keyboard_too(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(TAGS)))
    assert register(file, "-") == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "in one way"),
        (["--tags", "x", "--device", "tablelink"], "in one way"),
        (["--device", "tablelink"], "--device goes with --port"),
        (["--place", "seat 1"], "--config with --place"),
        (["--device", "abacus", "--port", "/dev/null"], "no kind of reader"),
        (["--tags", "/nowhere/tags.txt"], "/nowhere/tags.txt cannot be read"),
        (["--device", "tablelink", "--port", "/nowhere/tty"], "/nowhere/tty does not exist"),
    ],
)
def test_a_source_that_is_not_one_is_one_sentence(
    file: Path, options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["deck", "register", "--file", str(file), "--deck", "blue", *options]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("name", ["", "a/b", 'bl"ue', "x" * 33])
def test_a_name_that_no_file_could_bear_is_refused(file: Path, name: str) -> None:
    assert run_command(["deck", "register", "--file", str(file), "--deck", name, "--tags", "-"]) == 2


def test_a_place_without_an_antenna_is_refused(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(CONFIG)
    arguments = ["--file", str(file), "--deck", "blue", "--config", str(config), "--place", "muck"]
    assert run_command(["deck", "register", *arguments]) == 2
    assert "no antenna looks at 'muck': use one of board, burn, seat 1" in capsys.readouterr().err


# -- check and list


def check(file: Path, *more: str) -> int:
    return run_command(["deck", "check", "--file", str(file), *more])


def line_of(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(capsys.readouterr().out)
    return line


def test_a_whole_deck_answers(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_register(file, Register((RED,)))
    assert check(file, "--tags", tags_file(tmp_path, *RED.tags), "--json") == 0
    line = line_of(capsys)
    assert (line["answered"], line["of"], line["missing"]) == (52, 52, [])


def test_missing_and_foreign_tags_are_named(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_register(file, Register((RED, Deck("blue", {TAGS[0]: "As"}))))
    tags = tags_file(tmp_path, *list(RED.tags)[2:], TAGS[0], "E004FFFFFFFFFFFF")
    assert check(file, "--tags", tags, "--json") == 1
    line = line_of(capsys)
    assert line["missing"] == ["2s", "As"]
    assert line["unknown"] == ["E004FFFFFFFFFFFF"]
    assert line["other_decks"] == {TAGS[0]: "blue"}
    assert check(file, "--deck", "red", "--tags", tags) == 1
    text = capsys.readouterr().out
    assert "missing: As" in text
    assert f"does not belong: {TAGS[0]}, of deck blue" in text


def test_a_tag_is_counted_once() -> None:
    check = DeckCheck(Register((RED,)), None, "decks.toml")
    tag = TagRead(next(iter(RED.tags)))
    assert [check.take(tag), check.take(tag)] == [True, False]
    assert [check.take(TagRead(TAGS[0])), check.take(TagRead(TAGS[0]))] == [True, False]


def test_a_clone_in_a_pile_is_told_once() -> None:
    check = DeckCheck(Register((RED,)), None, "decks.toml")
    tags = list(RED.tags)
    for tag in tags:
        check.take(TagRead(tag))
    assert check.is_sound
    assert [check.take(TagRead(tags[0], is_clone=True)) for _ in range(2)] == [True, False]
    assert not check.is_sound
    assert check.line()["clones"] == [tags[0]]
    assert f"answers at two antennas at once: {tags[0]}" in check.text()


@pytest.mark.parametrize(
    ("decks", "more", "words"),
    [((), (), "holds no deck"), ((RED,), ("--deck", "green"), "no deck green: use one of red")],
)
def test_a_deck_that_is_not_there_is_one_sentence(
    file: Path, decks: tuple[Deck, ...], more: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    save_register(file, Register(decks))
    file.write_text(file.read_text() or "# none yet\n")
    assert check(file, "--tags", "-", *more) == 2
    assert words in capsys.readouterr().err


def test_decks_are_listed_with_what_is_wrong(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_register(file, Register((RED,)))
    assert run_command(["deck", "list", "--file", str(file)]) == 0
    assert capsys.readouterr().out == "deck red: 52 tags, in use, all 52 cards\n"
    doubled = {card_tag: card for card_tag, card in RED.tags.items() if card != "Kc"}
    save_register(file, Register((Deck("red", {**doubled, TAGS[0]: "As"}),)))
    assert run_command(["deck", "list", "--file", str(file), "--json"]) == 1
    line = line_of(capsys)
    assert (line["missing"], line["doubled"], line["in_use"]) == (["Kc"], ["As"], True)


def test_a_register_that_is_not_there_is_one_sentence(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["deck", "list", "--file", str(file)]) == 2
    assert "does not exist" in capsys.readouterr().err


def test_a_port_that_is_missing_is_told_before_anything_is_asked(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reader = ["--device", "tablelink", "--port", str(tmp_path / "missing")]
    for more in ([], ["--spread"]):
        assert run_command(["deck", "register", "--file", str(file), "--deck", "red", *reader, *more]) == 2
        told = capsys.readouterr()
        assert (told.out, told.err.count("\n")) == ("", 1)
        assert "missing" in told.err
    assert list(tmp_path.glob("*.partial")) == []


def test_a_source_that_ends_at_once_keeps_nothing(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "none").write_text("")
    arguments = ["deck", "register", "--file", str(file), "--deck", "red", "--tags", str(tmp_path / "none")]
    assert run_command(arguments) == 1
    assert "0 of 52 cards have a tag; nothing is kept" in capsys.readouterr().err
    assert list(tmp_path.glob("*.partial")) == []


def test_a_usb_name_that_the_reader_has_not_is_refused_at_the_check_too(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_register(file, Register((RED,)))
    reader = ["--device", "pn532", "--port", "usb:1234:5678"]
    for more in ([], ["--alone"]):
        assert run_command(["deck", "check", "--file", str(file), *reader, *more]) == 2
        assert "a USB name for" in capsys.readouterr().err


def test_a_deck_of_epcs_is_registered_from_a_file(file: Path, tmp_path: Path) -> None:
    epcs = {card: tag_uid("chips", card, technology=EPC) for card in ORDER}
    (tmp_path / "tags").write_text("".join(f"{tag}\n" for tag in epcs.values()))
    arguments = ["--file", str(file), "--deck", "chips", "--tags", str(tmp_path / "tags")]
    assert run_command(["deck", "register", *arguments]) == 0
    (deck,) = load_register(file).decks
    assert {card: tag for tag, card in deck.tags.items()} == epcs
    assert {len(tag) // 2 for tag in deck.tags} == {12}


def typed_arguments(file: Path, tags: Path, rule: str) -> list[str]:
    return ["deck", "register", "--file", str(file), "--deck", "red", "--tags", str(tags), "--typed", rule]


def test_a_file_may_have_the_tags_as_a_reader_types_them(file: Path, tmp_path: Path) -> None:
    tags = {card: f"04{number:06X}" for number, card in enumerate(ORDER, start=1)}
    rule = typed_rule("decimal reversed")
    (tmp_path / "tags").write_text("".join(f"{card} {text_of(tag, rule)}\n" for card, tag in tags.items()))
    assert run_command(typed_arguments(file, tmp_path / "tags", "decimal reversed")) == 0
    assert load_register(file).decks == (Deck("red", {tag: card for card, tag in tags.items()}),)


def test_a_typed_line_that_does_not_fit_its_rule_leaves_its_card_due(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tags").write_text("E00411112222333\n0078905860\n")
    assert run_command(typed_arguments(file, tmp_path / "tags", "decimal")) == 1
    told = capsys.readouterr()
    assert "E00411112222333 was refused: it does not fit the rule of --typed" in told.out + told.err
    assert f"As is {78905860:08X}" in told.out + told.err


def test_a_rule_that_there_is_not_is_refused(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(typed_arguments(file, tmp_path / "tags", "octal")) == 2
    assert "--typed: 'octal' is no rule for typed tags" in capsys.readouterr().err
