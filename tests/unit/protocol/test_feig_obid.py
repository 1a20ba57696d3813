"""FEIG OBID: what a reply means, which way a frame goes, and what the bridge and a reader send."""

import random

import pytest

from protocol import feig_obid
from protocol.codec import CODECS
from protocol.envelopes import FEIG_ADVANCED, FEIG_STANDARD
from protocol.feig_layout import FIXED_TAGS, HOST, TAG_TYPES
from protocol.framing import frame_around
from protocol.messages import (
    Ack,
    Decoded,
    DeviceInfo,
    Failure,
    HostCommand,
    Message,
    PollEmpty,
    Reason,
    Refused,
    TagSeen,
    UnknownBody,
)
from shoe_bridge.link.decoder import DecodedFrame, Decoder
from shoe_bridge.link.deframer import Junk

TAG = "E0040150A05F02B7"
UID_SIZES = {"iso14443b": 4, "jewel": 4, "icode_uid": 5, "iso18000_3m3": 12, "epc_gen2": 12}
UID_SIZES |= dict.fromkeys(("iso15693", "icode1", "icode_epc", "sr176", "srix", "felica", "innovatron"), 8)


def said(body: str) -> tuple[Message, ...]:
    decoded = feig_obid.decode(FEIG_STANDARD.name, bytes.fromhex(body))
    assert isinstance(decoded, Decoded), decoded
    return decoded.messages


def reason(body: str) -> Reason:
    failure = feig_obid.decode(FEIG_ADVANCED.name, bytes.fromhex(body))
    assert isinstance(failure, Failure), failure
    assert failure.detail
    return failure.reason


def read(frame: bytes) -> tuple[Message, ...]:
    (result,) = Decoder(CODECS["feig_obid"]).feed(frame)
    assert isinstance(result, DecodedFrame)
    return result.messages


def test_both_forms_carry_the_same_bodies() -> None:
    body = bytes.fromhex("00B000010300" + TAG)
    seen = (TagSeen(TAG, tag_type="iso15693"),)
    assert read(frame_around(FEIG_STANDARD, body)) == read(frame_around(FEIG_ADVANCED, body)) == seen


def test_a_clean_empty_answer_an_error_and_an_unknown_status_are_three_things() -> None:
    assert said("00B001") == (PollEmpty(),)
    assert said("00B083") == (Refused("host_command", 0x83, "RF communication error"),)
    assert reason("00B060") is Reason.IMPLAUSIBLE


@pytest.mark.parametrize("tag_type", UID_SIZES)
def test_each_tag_type_goes_out_and_comes_back(tag_type: str) -> None:
    tag = bytes(range(0xE0, 0xE0 + UID_SIZES[tag_type])).hex().upper()
    other = ("iso15693", TAG)
    frame = feig_obid.encode_inventory([other, (tag_type, tag), other])
    seen = TagSeen(TAG, tag_type="iso15693")
    assert read(frame) == (seen, TagSeen(tag, tag_type=tag_type), seen)


@pytest.mark.parametrize("size", [7, 10])
def test_an_iso14443a_tag_tells_its_length_by_its_info_byte(size: int) -> None:
    tag = bytes(range(size)).hex().upper()
    assert read(feig_obid.encode_inventory([("iso14443a", tag)])) == (TagSeen(tag, tag_type="iso14443a"),)


def test_all_types_of_the_table_are_tested() -> None:
    assert {*UID_SIZES, "iso14443a"} == set(TAG_TYPES.values())


def test_a_list_that_goes_on_ends_with_that_word() -> None:
    frame = feig_obid.encode_inventory([("iso15693", TAG)], has_more=True)
    more = Ack("host_command", 0x94, "more data follows")
    assert read(frame) == (TagSeen(TAG, tag_type="iso15693"), more)


def test_a_list_beyond_255_bytes_takes_the_advanced_form() -> None:
    tags = [("iso15693", f"E0040150000000{n:02X}") for n in range(60)]
    frame = feig_obid.encode_inventory(tags)
    assert frame[0] == 2
    assert [message.tag for message in read(frame) if isinstance(message, TagSeen)] == [t for _, t in tags]


def test_records_name_their_antenna_by_mask_by_list_or_not_at_all() -> None:
    tag = ("iso15693", TAG)
    assert read(feig_obid.encode_records([(*tag, 3)])) == (TagSeen(TAG, 3, tag_type="iso15693"),)
    listed = feig_obid.encode_records([(*tag, 3)], with_rssi=45)
    assert read(listed) == (TagSeen(TAG, 3, 45, "iso15693"),)
    assert read(feig_obid.encode_records([(*tag, None)])) == (TagSeen(TAG, tag_type="iso15693"),)


def test_the_fields_behind_a_record_s_id_do_not_hide_its_antenna() -> None:
    # data of two blocks of four bytes, time, date, antenna
    record = "0022" + "030008" + TAG + "000204" + "00" * 8 + "0C220FA0" + "1419060E00" + "80"
    assert said("002200" + "73" + "0001" + record) == (TagSeen(TAG, 8, tag_type="iso15693"),)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("00B00001", Reason.TOO_SHORT),
        ("00B000010300" + TAG[:-2], Reason.TOO_SHORT),
        ("00B000010300" + TAG + "00", Reason.TRAILING),
        ("00B000017700" + TAG, Reason.IMPLAUSIBLE),
        ("00B001AABB", Reason.TRAILING),
        ("0022000100", Reason.TOO_SHORT),
        ("00220001000100FF030008" + TAG, Reason.TOO_SHORT),
        ("002200010001000C030008" + TAG, Reason.TOO_SHORT),
        ("002200010001000E030008" + TAG + "00", Reason.TRAILING),
        ("0065000303", Reason.TOO_SHORT),
        ("00", Reason.TOO_SHORT),
        ("FFB00142", Reason.IMPLAUSIBLE),
        ("FF22FF", Reason.TOO_SHORT),
        ("FF650000", Reason.TRAILING),
    ],
)
def test_what_means_nothing_says_why(body: str, why: Reason) -> None:
    assert reason(body) is why


def test_a_body_to_every_reader_or_without_a_status_is_a_request() -> None:
    assert said("FFB00100") == (HostCommand("inventory", {"mode": 0}),)
    assert said("0365") == (HostCommand("software_version"),)
    assert said("FF720105") == (HostCommand("output", {"hex": "0105"}),)
    assert said("FFC1AA") == (UnknownBody(0xC1, "FFC1AA"),)


def test_a_request_to_one_reader_is_told_from_a_reply_only_where_it_cannot_be_one() -> None:
    assert said("00B00100") == (HostCommand("inventory", {"mode": 0}),)
    assert said("00B001") == (PollEmpty(),)
    # a request to read 1 record from reader 0, and a reply that the buffer has none
    assert said("00220001") == (HostCommand("read_buffer", {"sets": 1}),)
    assert said("002292") == (Ack("read_buffer", 0x92, "no valid data"),)


def test_the_version_names_the_model() -> None:
    frame = feig_obid.encode_version((4, 1, 7), 0x0A, 33, tag_types=8)
    assert read(frame) == (DeviceInfo("4.1.7", "0A", "ISC.M02.M8"),)


def test_requests_are_the_documented_bytes() -> None:
    assert feig_obid.encode_command(HostCommand("inventory", {"mode": 0})).hex() == "07ffb001001c56"
    frame = feig_obid.encode_command(HostCommand("inventory", {"mode": 0x80, "antennas": 8}))
    assert read(frame) == (HostCommand("inventory", {"mode": 0x90, "antennas": 8}),)


@pytest.mark.parametrize("name", [name for name in HOST if "/" not in name])
def test_each_request_comes_back_as_it_went_out(name: str) -> None:
    command = HostCommand(name, dict.fromkeys(HOST[name].names[2 + (name == "inventory") :], 0))
    assert read(feig_obid.encode_command(command)) == (command,)


@pytest.mark.parametrize(
    "command",
    [
        HostCommand("sing"),
        HostCommand("login", {"hex": "00"}),
        HostCommand("read_buffer"),
        HostCommand("read_buffer", {"sets": 70_000}),
        HostCommand("inventory", {"mode": 7}),
        HostCommand("inventory", {"mode": 0, "antennas": 256}),
        HostCommand("software_version", {"loudly": 1}),
    ],
)
def test_a_request_that_the_reader_does_not_have_is_an_error(command: HostCommand) -> None:
    with pytest.raises(ValueError, match=r"FEIG|takes|cannot be|fit"):
        feig_obid.encode_command(command)


def test_a_reply_that_no_reader_sends_is_an_error() -> None:
    with pytest.raises(ValueError, match="no command"):
        feig_obid.encode_reply("sing", 0)
    with pytest.raises(ValueError, match="not a tag of 8 bytes"):
        feig_obid.encode_inventory([("iso15693", "E004")])
    with pytest.raises(ValueError, match="does not fit"):
        feig_obid.encode_inventory([("pebble", TAG)])


def some_tag(rng: random.Random) -> bytes:
    """A tag of any type as it stands in an inventory."""
    number = rng.choice(sorted(TAG_TYPES))
    if number == 0x04:
        is_long = rng.random() < 0.5
        return bytes((number, rng.randrange(4) | 4 * is_long, 0)) + rng.randbytes(10 if is_long else 7)
    if number in (0x09, 0x84):
        size = rng.choice((0, 1, 8, 12, 62, 63))
        return bytes((number, 0, size)) + rng.randbytes(size)
    if number == 0x10:
        return bytes((number,)) + rng.randbytes(10) + b"\x02\xaa\xbb"
    return bytes([number]) + rng.randbytes(FIXED_TAGS[number].size - 1)


def test_the_short_way_through_a_list_is_the_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(TAG_TYPES) - set(FIXED_TAGS) == {0x04, 0x09, 0x10, 0x84}
    rng = random.Random(5)
    bodies = []
    for _ in range(1200):
        tags = [some_tag(rng) for _ in range(rng.randrange(4))]
        body = bytearray(bytes.fromhex("00B000") + bytes([len(tags)]) + b"".join(tags))
        if rng.random() < 0.4:
            body[rng.randrange(3, len(body))] = rng.randrange(256)
        if rng.random() < 0.2:
            del body[-rng.randrange(1, 4) :]
        bodies.append(bytes(body))
    short = [feig_obid.decode(FEIG_STANDARD.name, body) for body in bodies]
    plain = sum(bool(feig_obid._plain_tags(body)) for body in bodies if len(body) > 4)
    monkeypatch.setattr(feig_obid, "_plain_tags", lambda body: None)
    assert [feig_obid.decode(FEIG_STANDARD.name, body) for body in bodies] == short
    assert sum(isinstance(one, Decoded) for one in short) > 400
    assert plain > 250


def test_a_flipped_bit_anywhere_in_a_reply_gives_no_tag() -> None:
    frame = feig_obid.encode_inventory([("iso15693", TAG)])
    for bit in range(8 * len(frame)):
        hit = bytearray(frame)
        hit[bit // 8] ^= 1 << bit % 8
        decoder = Decoder(CODECS["feig_obid"])
        results = decoder.feed(bytes(hit)) + [r for _ in frame for r in decoder.idle()]
        assert all(isinstance(result, Junk) for result in results), bit
