"""From a configuration to the parts of the core."""

from pathlib import Path

import pytest

from shoe_bridge.errors import DeckError
from shoe_bridge.runtime.assembly import links_of, setup_of
from shoe_bridge.table.procedures import PROCEDURES


def test_the_setup_is_the_table_of_the_file(config):
    setup = setup_of(config)
    assert (setup.table, setup.game) == ("t-1", PROCEDURES["holdem"])
    assert (setup.seated, setup.button) == ((1, 2, 3, 5), 3)
    assert setup.devices == ("reader-1", "keys-1")
    assert len(setup.register.cards_in_use()) == 52
    assert {"shuffle", "cut", "end deal"} <= set(setup.keys)


def test_a_table_without_decks_has_an_empty_register(document, configured):
    del document["table"]["decks"]
    assert setup_of(configured(document)).register.decks == ()


def test_a_register_that_is_gone_stops_the_start(config, tmp_path: Path):
    (tmp_path / "decks.toml").unlink()
    with pytest.raises(DeckError, match="does not exist"):
        setup_of(config)


def test_each_device_gets_its_link_as_configured(config):
    reader, keys = links_of(config.devices)
    assert (reader.name, reader.kind, reader.cycle_ms) == ("reader-1", "tablelink", 60)
    assert reader.antennas[1] == "seat 1"
    assert reader.identity == config.devices[0].identity
    assert keys.keys[1] == "shuffle"
    assert keys.antennas == {}
