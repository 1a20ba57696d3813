from shoe_bridge.sim.light_devices import LcusRelay, TowerLight


def test_relay_obeys_and_remembers() -> None:
    relay = LcusRelay("dealer", channels=2)
    relay.take(bytes.fromhex("A00101A2"), 100)
    relay.take(bytes.fromhex("A00201A3"), 300)
    relay.take(bytes.fromhex("A00100A1"), 500)
    relay.take(bytes.fromhex("A00100A1"), 700)
    assert relay.shown == (False, True)
    assert relay.history == [(100, (True, False)), (300, (True, True)), (500, (False, True))]
    assert relay.hurried == 0


def test_relay_answers_what_it_shows() -> None:
    relay = LcusRelay("dealer", channels=2)
    relay.take(bytes.fromhex("A00201A3"), 0)
    relay.take(b"\xff", 200)
    assert relay.advance(200) == b"CH1: OFF\r\nCH2: ON\r\n"
    assert relay.advance(300) == b""


def test_relay_takes_commands_in_pieces_and_ignores_wrong_ones() -> None:
    relay = LcusRelay("dealer", channels=2)
    for byte in bytes.fromhex("A00101A2"):
        relay.take(bytes([byte]), 0)
    assert relay.shown == (True, False)
    relay.take(bytes.fromhex("A00201A4") + bytes.fromhex("A00301A4") + b"x", 100)
    assert relay.shown == (True, False)
    assert relay.ignored == 9


def test_relay_counts_commands_that_come_too_fast() -> None:
    relay = LcusRelay("dealer")
    relay.take(bytes.fromhex("A00101A2") * 2, 0)
    relay.take(bytes.fromhex("A00101A2"), 99)
    relay.take(bytes.fromhex("A00101A2"), 199)
    assert relay.hurried == 2


def test_tower_knows_its_lamps_and_modes() -> None:
    tower = TowerLight("dealer")
    tower.take(b"\x11", 0)
    tower.take(b"\x44", 100)
    tower.take(b"\x21", 200)
    tower.take(b"\x53", 300)
    assert tower.shown == {"red": "off", "yellow": "off", "green": "blink", "buzzer": "off"}
    assert tower.history == [(0, "red", "on"), (100, "green", "blink"), (200, "red", "off")]
    assert tower.ignored == 1


def test_a_light_that_stops_reading_or_has_no_plug_keeps_what_it_shows() -> None:
    tower = TowerLight("dealer")
    tower.take(b"\x14", 0)
    tower.is_reading = False
    tower.take(b"\x24", 100)
    tower.is_reading = True
    tower.unplug()
    tower.take(b"\x24", 200)
    assert tower.shown["green"] == "on"
    tower.replug()
    tower.take(b"\x24", 300)
    assert tower.shown["green"] == "off"
    assert tower.next_due_ms() is None
