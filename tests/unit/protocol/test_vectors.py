import pytest

from protocol.codec import CODECS
from protocol.messages import Failure, Message
from protocol.vectors import Vector, vectors_of
from shoe_bridge.link.decoder import Decoder, pending_line, result_lines

CASES = [(kind, vector) for kind in CODECS for vector in vectors_of(kind)]
MESSAGE_KINDS = {kind.__name__: kind for kind in Message.__subclasses__()}


def lines_of(kind: str, stream: bytes) -> list[dict[str, object]]:
    decoder = Decoder(CODECS[kind])
    lines = result_lines([*decoder.feed(stream), *decoder.finish()])
    return lines + [pending_line(decoder.pending)] * (decoder.pending > 0)


@pytest.mark.parametrize(("kind", "vector"), CASES, ids=lambda case: getattr(case, "name", case))
def test_decodes_as_documented(kind: str, vector: Vector) -> None:
    # through JSON, because a message holds tuples where the line holds lists
    got = lines_of(kind, vector.stream)
    assert [
        {**line, "messages": as_lists(line)} if "messages" in line else line for line in got
    ] == vector.expect


def as_lists(line: dict[str, object]) -> list[dict[str, object]]:
    messages = line["messages"]
    assert isinstance(messages, list)
    return [
        {name: list(value) if isinstance(value, tuple) else value for name, value in message.items()}
        for message in messages
    ]


LEAST = {"tablelink": 60, "pepper_c1": 60, "angel_eye": 100, "bee_tek": 75}
LEAST |= {"feig_obid": 100, "pn532": 100, "yrm100": 75, "r2000": 68}
LEAST |= {"text_line": 90, "hid_keyboard": 65}


@pytest.mark.parametrize(("kind", "least"), LEAST.items())
def test_there_are_enough_and_a_third_are_negative(kind: str, least: int) -> None:
    vectors = vectors_of(kind)
    assert len(vectors) >= least
    assert 3 * sum(vector.is_negative for vector in vectors) >= len(vectors)
    assert len({vector.name for vector in vectors}) == len(vectors)
    assert all(vector.source and vector.hex == vector.hex.upper() for vector in vectors)


@pytest.mark.parametrize(("kind", "vector"), CASES, ids=lambda case: getattr(case, "name", case))
def test_the_lines_of_a_vector_account_for_each_of_its_bytes(kind: str, vector: Vector) -> None:
    spoken = "".join(line["hex"] for line in vector.expect if line["type"] != "pending")
    pending = sum(line["bytes"] for line in vector.expect if line["type"] == "pending")
    assert vector.hex.startswith(spoken)
    assert len(spoken) // 2 + pending == len(vector.stream)


@pytest.mark.parametrize("kind", CODECS)
def test_each_message_in_a_vector_is_whole(kind: str) -> None:
    for vector in vectors_of(kind):
        for line in vector.expect:
            for message in line.get("messages", []):
                fields = MESSAGE_KINDS[message["kind"]].__struct_fields__
                assert set(message) == {"kind", *fields}, vector.name


def test_a_kind_without_vectors_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        vectors_of("no_such_device")


@pytest.mark.parametrize("kind", CODECS)
def test_a_body_under_another_envelope_is_a_failure(kind: str) -> None:
    assert isinstance(CODECS[kind].decode("no_such_envelope", b"\x01"), Failure)
    for envelope in CODECS[kind].envelopes:
        assert isinstance(CODECS[kind].decode(envelope.name, b""), Failure)
