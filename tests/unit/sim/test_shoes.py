"""The simulated shoes: what they put on the line, copy by copy, and how it is spoilt on request."""

import pytest

from protocol.codec import CODECS
from protocol.messages import CardDrawn, CardUnread, DeviceFault, Message, ShoeReport
from shoe_bridge.errors import ConfigError
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.deframer import Junk
from shoe_bridge.sim.angel_eye_shoe import AngelEyeShoe
from shoe_bridge.sim.bee_tek_shoe import BeeTekShoe
from shoe_bridge.sim.noise import Air
from shoe_bridge.sim.sim_table import SHOES, SimTable, equipment
from shoe_bridge.sim.world import World

Shoe = AngelEyeShoe | BeeTekShoe
UNREAD = CardUnread()


def results_of(shoe: Shoe, until_ms: int) -> list[DecodedFrame | Junk]:
    decoder = Decoder(CODECS[shoe.kind])
    return [*decoder.feed(shoe.advance(until_ms)), *decoder.idle(), *decoder.finish()]


def said(shoe: Shoe, until_ms: int) -> list[Message]:
    return [
        one for each in results_of(shoe, until_ms) if isinstance(each, DecodedFrame) for one in each.messages
    ]


@pytest.fixture
def angel() -> AngelEyeShoe:
    shoe = AngelEyeShoe("shoe-1")
    assert said(shoe, 1_000) == [ShoeReport("started")] * 3
    return shoe


@pytest.fixture
def bee() -> BeeTekShoe:
    return BeeTekShoe("shoe-1")


NINE = CardDrawn("9d", target="player 1", context="game")


def test_three_numbered_copies_fifty_ms_apart(angel: AngelEyeShoe) -> None:
    angel.draw("9d")
    first = angel.advance(1_000)
    assert first == bytes.fromhex("05324481990336") + b"D"
    assert angel.next_due_ms() == 1_050
    assert angel.advance(1_050) == angel.advance(1_100) == first
    assert angel.next_due_ms() is None


def test_the_next_report_waits_for_the_copies_of_the_one_before(angel: AngelEyeShoe) -> None:
    angel.draw("9d")
    angel.draw(None)
    assert said(angel, 2_000) == [NINE] * 3 + [UNREAD] * 3


def test_numbers_go_from_nine_to_one(angel: AngelEyeShoe) -> None:
    for _ in range(9):
        angel.draw("9d")
    stream = angel.advance(5_000)
    assert [stream[at + 1 : at + 2] for at in range(0, len(stream), 24)] == [
        b"%d" % n for n in (*range(2, 10), 1)
    ]


def test_it_says_what_else_happens(angel: AngelEyeShoe) -> None:
    angel.report("cut_card")
    angel.report("result", "tie")
    angel.fault(3)
    angel.fault(3, is_cleared=True)
    angel.send_again("9d")
    angel.draw("9d", context="outside_game")
    assert said(angel, 3_000)[::3] == [
        ShoeReport("cut_card"),
        ShoeReport("result", "tie"),
        DeviceFault(3, "button mishandling"),
        DeviceFault(3, "button mishandling", cleared=True),
        CardDrawn("9d", target="player 1", context="redeal_or_repeat"),
        CardDrawn("9d", context="outside_game"),
    ]


@pytest.mark.parametrize(
    ("fates", "frames", "has_junk"),
    [
        (("lost", "lost", "whole"), 1, False),
        (("whole", "whole", "whole", "whole"), 4, False),
        (("garbled", "whole", "garbled"), 1, True),
        (("lost", "lost", "lost"), 0, False),
    ],
)
def test_copies_are_spoilt_one_by_one(
    angel: AngelEyeShoe, fates: tuple[str, ...], frames: int, has_junk: bool
) -> None:
    angel.spoil_next(*fates)
    angel.draw("9d")
    results = results_of(angel, 2_000)
    assert [each.messages for each in results if isinstance(each, DecodedFrame)] == [(NINE,)] * frames
    assert any(isinstance(each, Junk) for each in results) is has_junk
    angel.draw("9d")
    assert said(angel, 3_000) == [NINE] * 3


@pytest.mark.parametrize("card", ["Ad", "2c", "Ks", "Qh"])
def test_a_forged_copy_is_another_card_with_a_check_that_fits(angel: AngelEyeShoe, card: str) -> None:
    angel.spoil_next("whole", "forged")
    angel.draw(card)
    good, forged = said(angel, 2_000)
    assert isinstance(good, CardDrawn)
    assert isinstance(forged, CardDrawn)
    assert good.card == card != forged.card


def test_a_reboot_begins_with_a_start_numbered_one(angel: AngelEyeShoe) -> None:
    angel.draw("9d")
    angel.advance(2_000)
    angel.reboot()
    assert angel.advance(3_000)[:3] == b"\x051S"


def test_reports_can_be_missing_with_all_their_copies(angel: AngelEyeShoe) -> None:
    angel.skip(3)
    angel.draw("9d")
    assert angel.advance(1_000)[1:2] == b"5"


@pytest.mark.parametrize("make", [AngelEyeShoe, BeeTekShoe])
def test_what_is_said_without_a_plug_is_lost(make: type[AngelEyeShoe] | type[BeeTekShoe]) -> None:
    shoe = make("shoe-1")
    shoe.advance(1_000)
    shoe.unplug()
    shoe.draw("9d")
    shoe.take(b"\x02", 1_000)
    assert shoe.advance(2_000) == b""
    assert shoe.heard == b""
    shoe.replug()
    assert shoe.advance(3_000) == b""
    shoe.draw("9d")
    shoe.take(b"\x02", 3_000)
    assert shoe.advance(4_000)
    assert shoe.heard == b"\x02"


def test_a_line_of_text_for_each_card(bee: BeeTekShoe) -> None:
    assert bee.advance(5_000) == b""
    bee.draw("Tc")
    bee.draw(None)
    assert bee.advance(6_000) == b" [Manual Burn Cards]<Card:TC> \r\n [Manual Burn Cards]<Game> \r\n"


def test_alarms_and_warnings(bee: BeeTekShoe) -> None:
    bee.alarm(3, "Card Not Read")
    bee.warn(1)
    assert said(bee, 100) == [DeviceFault(3, "E3 Card Not Read"), DeviceFault(1, "W0x01")]


def test_two_records_share_a_blank(bee: BeeTekShoe) -> None:
    bee.share_blank()
    bee.draw("4s")
    assert bee.advance(100) == b""
    bee.draw("5h")
    assert bee.advance(200) == b" [Manual Burn Cards]<Card:4S> [Manual Burn Cards]<Card:5H> \r\n"
    bee.draw("6h")
    assert said(bee, 300) == [CardDrawn("6h", context="outside_game")]


def test_garbled_text_is_junk_and_forged_text_is_another_card(bee: BeeTekShoe) -> None:
    bee.spoil_next("garbled")
    bee.draw("4s")
    assert said(bee, 100) == []
    for card in ("4s", "4h"):
        bee.spoil_next("forged")
        bee.draw(card)
    assert [one.card for one in said(bee, 300) if isinstance(one, CardDrawn)] == ["4h", "4s"]


def test_noise_stands_on_the_line(bee: BeeTekShoe) -> None:
    bee.noise(b"\xff\x00")
    assert bee.advance(10) == b"\xff\x00"


# -- at a table


@pytest.mark.parametrize("kind", SHOES)
def test_a_table_has_the_shoe_that_it_is_given(kind: str) -> None:
    config = equipment(has_shoe=True, shoe=kind)
    assert config["device"][-1] == {"name": "shoe-1", "kind": kind, "port": "/dev/shoe-bridge/shoe-1"}
    table = SimTable(config, Air(World()))
    assert table.device("shoe-1").kind == kind


def test_a_shoe_that_reads_cards_is_given_the_card_and_not_the_tag() -> None:
    table = SimTable(equipment(has_shoe=True, shoe="bee_tek"), Air(World()))
    table.draw("E00401500000000A", "down", "9d")
    table.draw("E00401500000000B", "down")
    shoe = table.device("shoe-1")
    assert isinstance(shoe, BeeTekShoe)
    assert said(shoe, 1_000) == [CardDrawn("9d", context="outside_game"), UNREAD]


def test_a_shoe_that_is_not_simulated_is_named() -> None:
    with pytest.raises(ConfigError, match="shoe 'dealer' is not simulated: use tablelink or angel_eye"):
        equipment(has_shoe=True, shoe="dealer")
