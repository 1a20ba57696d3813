"""The deck register on disk: whole or an error with a way out, never half a deck."""

import errno
import os
from pathlib import Path

import pytest

from shoe_bridge.errors import DeckError
from shoe_bridge.runtime.decks import load_register, missing_cards, save_register
from shoe_bridge.table.cards import JOKER, STANDARD_52
from shoe_bridge.table.deck import Deck, Register

TAGS = tuple(f"E0040150A0{number:06X}" for number in range(106))
BLUE = Deck("blue", {**dict(zip(TAGS, STANDARD_52, strict=False)), TAGS[52]: JOKER})
RED = Deck("red", dict(zip(TAGS[53:], STANDARD_52, strict=False)))


def complaint(path: Path) -> str:
    with pytest.raises(DeckError) as caught:
        load_register(path)
    sentence = str(caught.value)
    assert str(path) in sentence
    assert "\n" not in sentence
    assert sentence.endswith(".")
    assert caught.value.exit_code == 2
    return sentence


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "decks.toml"
    save_register(path, Register((BLUE, RED)))
    assert load_register(path) == Register((BLUE, RED))
    assert list(tmp_path.iterdir()) == [path]
    save_register(path, Register((RED,)))
    assert load_register(path) == Register((RED,))


def test_a_register_without_decks_is_an_empty_file_and_so_an_error(tmp_path: Path) -> None:
    path = tmp_path / "decks.toml"
    save_register(path, Register(()))
    assert "is empty" in complaint(path)


def test_missing_file(tmp_path: Path) -> None:
    assert "shoe-bridge deck register" in complaint(tmp_path / "none.toml")


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    assert "is a folder" in complaint(tmp_path)


@pytest.mark.parametrize("text", ["", " \n\n"])
def test_an_empty_file_is_no_fresh_start(tmp_path: Path, text: str) -> None:
    path = tmp_path / "decks.toml"
    path.write_text(text)
    assert "is empty" in complaint(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[deck]]\nid = 'blue'\ntags = { E00401", "line 3: this is not TOML"),
        ("[[deck]]\nid = 'blue'\n", 'line 1: the key "tags" is missing'),
        ("[[deck]]\nid = 3\ntags = {}\n", "line 2: id is 3, expected a text in quotes; correct that line"),
        ("decks = 1\n", 'line 1: unknown key "decks" at the top level (did you mean "deck"?); correct that'),
        ("[table]\nid = 't'\n", "this is the configuration of a table, expected a deck register"),
        ("steps = []\ngame = 'holdem'\n", "this is a scenario, expected a deck register"),
        ("[[deck]]\nid = 'blue'\ntags = { E0040150A000000 = 'As' }\n", "is no tag"),
        ("[[deck]]\nid = 'blue'\ntags = { e0040150a0000000 = 'As' }\n", "is no tag"),
        ("[[deck]]\nid = 'blue'\ntags = { E0040150A0000000 = '1s' }\n", "which is no card"),
        ("[[deck]]\nid = 'blue'\ntags = { 08A1B2C3 = 'As' }\n", "random id"),
    ],
)
def test_damaged_and_contradictory_files(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "decks.toml"
    path.write_text(text)
    assert said in complaint(path)
    assert path.read_text() == text


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "decks.toml"
    path.write_bytes(b"[[deck]]\nid = '\xff\xfe'\n")
    assert "line 2: a byte 0xFF is not UTF-8 text" in complaint(path)


def test_the_mark_before_a_text_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "decks.toml"
    save_register(path, Register((BLUE,)))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_register(path) == Register((BLUE,))


def test_one_tag_in_two_decks(tmp_path: Path) -> None:
    path = tmp_path / "decks.toml"
    save_register(path, Register((BLUE, Deck("red", {TAGS[0]: "2c"}))))
    assert f"tag {TAGS[0]} is registered in deck blue and in deck red" in complaint(path)


def test_a_save_that_fails_leaves_the_old_register(tmp_path: Path) -> None:
    path = tmp_path / "decks.toml"
    save_register(path, Register((BLUE,)))
    (tmp_path / "decks.toml.new").mkdir()  # where the new file would be written
    with pytest.raises(DeckError, match="cannot be written") as caught:
        save_register(path, Register((RED,)))
    assert str(path) in str(caught.value)
    assert load_register(path) == Register((BLUE,))


def test_a_full_disk_leaves_nothing_beside_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("shoe_bridge.runtime.decks.os.fsync", full)
    path = tmp_path / "decks.toml"
    with pytest.raises(DeckError) as caught:
        save_register(path, Register((BLUE,)))
    assert str(caught.value) == (
        f"The deck register {path} cannot be written (no space left on device): free some space on that disk."
    )
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_not_there_takes_no_register(tmp_path: Path) -> None:
    with pytest.raises(DeckError, match="choose a folder you may write"):
        save_register(tmp_path / "none" / "decks.toml", Register((BLUE,)))
    assert os.listdir(tmp_path) == []


def test_missing_cards_are_named_in_their_order() -> None:
    assert missing_cards(BLUE) == []
    rest = {tag: card for tag, card in BLUE.tags.items() if card not in ("2c", "As")}
    assert missing_cards(Deck("blue", rest)) == ["2c", "As"]
