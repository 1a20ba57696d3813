"""A table whose readers cannot read its deck is refused before it is opened."""

from pathlib import Path

import pytest

from shoe_bridge.cli import run_command
from shoe_bridge.errors import DeckError
from shoe_bridge.runtime.assembly import setup_of
from shoe_bridge.runtime.config import load
from shoe_bridge.runtime.decks import save_register
from shoe_bridge.sim.tags import EPC, ISO14443A, ISO15693, NAMES, STANDARD_52, Technology, tag_uid
from shoe_bridge.table.deck import Deck, Register

TABLE = """
[table]
id = "t-1"
game = "holdem"
seats = 2
decks = "decks.toml"
[[device]]
name = "reader-1"
kind = "{kind}"
port = "/dev/shoe-bridge/reader-1"
antennas = {{ 1 = "seat 1", 2 = "seat 2", 3 = "board" }}
{more}
[[device]]
name = "burn-1"
kind = "{burn}"
port = "/dev/shoe-bridge/burn-1"
antennas = {{ 1 = "burn" }}
{burn_more}
"""


def tags(*technologies: Technology) -> dict[str, str]:
    return {tag_uid("blue", card, technology=each): card for each in technologies for card in STANDARD_52}


def table(
    folder: Path,
    deck: dict[str, str],
    kind: str = "tablelink",
    more: str = "",
    burn: str = "tablelink",
    burn_more: str = "",
) -> Path:
    save_register(folder / "decks.toml", Register((Deck("blue", deck),)))
    file = folder / "table.toml"
    file.write_text(TABLE.format(kind=kind, more=more, burn=burn, burn_more=burn_more))
    return file


@pytest.mark.parametrize(
    ("options", "technology", "said"),
    [
        ({"kind": "r2000"}, ISO14443A, "reader-1 is a r2000, which cannot read tags of 7 bytes such as 04"),
        ({"burn": "yrm100"}, ISO14443A, "burn-1 is a yrm100, which cannot read tags of 7 bytes"),
        ({"burn": "pn532"}, ISO15693, "burn-1 is a pn532, which cannot read tags of 8 bytes"),
        ({}, EPC, "reader-1 is a tablelink, which cannot read tags of 12 bytes"),
        ({"kind": "pepper_c1"}, EPC, "reader-1 is a pepper_c1, which cannot read tags of 12 bytes"),
        (
            {"burn": "text_line", "burn_more": 'preset = "panstenos"'},
            ISO14443A,
            "burn-1 is a text_line, which cannot read tags of 7 bytes with the lines of panstenos",
        ),
        (
            {"burn": "hid_keyboard"},
            ISO14443A,
            "burn-1 is a hid_keyboard, which without `typed` names tags by the characters of a text, never",
        ),
        (
            {"burn": "hid_keyboard", "burn_more": 'typed = "decimal last 4"'},
            ISO14443A,
            'which with typed = "decimal last 4" names other tags',
        ),
    ],
)
def test_a_reader_that_cannot_read_the_deck_is_refused_at_the_check(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: dict[str, str],
    technology: Technology,
    said: str,
) -> None:
    file = table(tmp_path, tags(technology), **options)
    assert run_command(["run", "--check", "--config", str(file)]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert said in told.err


@pytest.mark.parametrize(
    ("options", "technologies"),
    [
        ({"kind": "r2000", "burn": "yrm100"}, (EPC,)),
        ({"kind": "feig_obid", "burn": "yrm100"}, (EPC,)),
        ({"burn": "hid_keyboard", "burn_more": 'typed = "hex reversed"'}, (ISO14443A,)),
        ({"kind": "text_line", "more": 'preset = "dubsa"'}, (ISO15693,)),
        ({"kind": "text_line", "more": 'preset = "beddofabrik"', "burn": "yrm100"}, (NAMES,)),
        ({"burn": "yrm100"}, (ISO15693,)),  # an EPC of 64 bits looks like that
        ({"kind": "pepper_c1", "burn": "r2000"}, (ISO14443A, EPC)),  # each card has a tag of either kind
    ],
)
def test_a_deck_that_all_readers_can_read_is_taken(
    tmp_path: Path, options: dict[str, str], technologies: tuple[Technology, ...]
) -> None:
    setup = setup_of(load(table(tmp_path, tags(*technologies), **options)))
    assert len(setup.register.cards_in_use()) == 52


def test_one_card_without_a_readable_tag_is_enough(tmp_path: Path) -> None:
    deck = tags(ISO14443A)
    odd = next(tag for tag, card in deck.items() if card == "Kc")
    del deck[odd]
    deck[tag_uid("blue", "Kc")] = "Kc"
    with pytest.raises(DeckError, match="tags of 8 bytes such as E004"):
        setup_of(load(table(tmp_path, deck, burn="pn532")))
