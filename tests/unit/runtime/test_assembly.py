"""From a configuration to the parts of the core."""

from pathlib import Path

import pytest

from shoe_bridge.errors import DeckError, MissingPackageError
from shoe_bridge.rules import ranking
from shoe_bridge.rules.games import open_game
from shoe_bridge.runtime.assembly import links_of, setup_of
from shoe_bridge.runtime.decks import save_register
from shoe_bridge.sim.tags import tag_uid
from shoe_bridge.table.cards import STANDARD_52
from shoe_bridge.table.deck import Deck, Register
from shoe_bridge.table.money import Money


def test_the_setup_is_the_table_of_the_file(config):
    setup = setup_of(config)
    assert (setup.table, setup.game) == ("t-1", open_game("holdem"))
    assert (setup.seated, setup.button) == ((1, 2, 3, 5), 3)
    assert setup.devices == ("reader-1", "keys-1")
    assert len(setup.register.cards_in_use()) == 52
    assert {"shuffle", "cut", "end deal"} <= set(setup.keys)


def test_money_and_the_button_reach_the_setup(document, configured):
    plain = setup_of(configured(document))
    assert (plain.money, plain.tracks_button) == (Money(), False)
    document["table"] |= {"chip": "0.50", "tracks_button": True}
    written = setup_of(configured(document))
    assert (written.money, written.tracks_button) == (Money(chip_cents=50), True)


@pytest.mark.parametrize(
    ("jackpot", "money"),
    [
        ({"pool": "23400.00"}, Money(pool_cents=23_400_00)),
        (
            {"pool_major": "40000.05", "pool_minor": "3000.00"},
            Money(pool_major_cents=40_000_05, pool_minor_cents=3_000_00),
        ),
    ],
)
def test_the_pool_of_the_file_is_the_one_that_pays(document, configured, jackpot, money):
    document["table"] |= {"game": "caribbean_stud"}
    del document["table"]["button"]
    document["jackpot"] = jackpot
    assert setup_of(configured(document)).money == money


def test_money_without_a_way_to_rank_hands_is_refused_at_the_start(document, configured, monkeypatch):
    monkeypatch.setattr(ranking, "find_spec", lambda name: None)
    assert setup_of(configured(document)).money == Money()
    document["table"]["chip"] = "1.00"
    with pytest.raises(MissingPackageError, match=r"phevaluator.*\[money\]"):
        setup_of(configured(document))


def test_a_table_without_decks_has_an_empty_register(document, configured):
    del document["table"]["decks"]
    assert setup_of(configured(document)).register.decks == ()


def test_a_register_that_is_gone_stops_the_start(config, tmp_path: Path):
    (tmp_path / "decks.toml").unlink()
    with pytest.raises(DeckError, match="does not exist"):
        setup_of(config)


def short_deck(lowest: str) -> Register:
    ranks = "23456789TJQKA".partition(lowest)
    kept = [card for card in STANDARD_52 if card[0] in ranks[1] + ranks[2]]
    return Register((Deck("short", {tag_uid("short", card): card for card in kept}),))


@pytest.mark.parametrize(("lowest", "cards"), [("2", 52), ("6", 36), ("7", 32), ("8", 52)])
def test_the_registered_deck_says_how_many_cards_are_played_with(
    document, configured, tmp_path: Path, lowest: str, cards: int
):
    document["table"]["game"] = "manila3"
    save_register(tmp_path / "decks.toml", short_deck(lowest))
    assert setup_of(configured(document)).game.deck_cards == cards


def test_a_deck_of_another_size_than_configured_stops_the_start(document, configured, tmp_path: Path):
    document["table"] |= {"game": "manila3", "deck_cards": 32}
    save_register(tmp_path / "decks.toml", short_deck("6"))
    with pytest.raises(DeckError, match="deck short has 36 cards and deck_cards is 32: register the deck"):
        setup_of(configured(document))
    save_register(tmp_path / "decks.toml", short_deck("7"))
    assert setup_of(configured(document)).game.deck_cards == 32


def test_each_device_gets_its_link_as_configured(config):
    reader, keys = links_of(config.devices)
    assert (reader.name, reader.kind, reader.cycle_ms) == ("reader-1", "tablelink", 60)
    assert reader.antennas[1] == "seat 1"
    assert reader.identity == config.devices[0].identity
    assert keys.keys[1] == "shuffle"
    assert keys.antennas == {}
