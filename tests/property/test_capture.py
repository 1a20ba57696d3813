"""Captures of any content: read back as written, and redacted without a tag in them, however cut."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codec import CODECS
from protocol.hid_keyboard import encode_text
from protocol.messages import CardDrawn, TagGone, TagSeen, TypedLine
from shoe_bridge.cli.capture_decode import decoded
from shoe_bridge.cli.capture_file import Capture, Happening, Piece, read_capture, text_of
from shoe_bridge.cli.capture_redact import redacted
from shoe_bridge.errors import UsageError
from shoe_bridge.link.decoder import DecodedFrame

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"
LEAST_TAG_BYTES = 4

_times = st.integers(min_value=0, max_value=10**12).map(lambda us: us * 1_000)
_pieces = st.builds(Piece, _times, st.sampled_from("<>"), st.binary(min_size=1, max_size=40))
_phrases = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20)
_entries = st.lists(st.one_of(_pieces, st.builds(Happening, _times, _phrases)), max_size=12)


def streams_of(kind: str) -> list[bytes]:
    lines = (VECTORS / f"{kind}.jsonl").read_text().splitlines()
    return [bytes.fromhex(json.loads(line)["hex"]) for line in lines]


def cut(data: bytes, at: list[int], gap_ns: int) -> Capture:
    edges = sorted({0, len(data), *(edge % (len(data) + 1) for edge in at)})
    parts = [data[a:b] for a, b in pairwise(edges)]
    return Capture({}, tuple(Piece(number * gap_ns, "<", part) for number, part in enumerate(parts)))


def tags_in(capture: Capture, kind: str) -> set[str]:
    tags: set[str] = set()
    for meaning in decoded(capture.pieces, CODECS[kind]):
        if isinstance(meaning.result, DecodedFrame):
            for message in meaning.result.messages:
                if isinstance(message, TagSeen | TagGone | CardDrawn) and message.tag:
                    tags.add(message.tag)
                if kind == "hid_keyboard" and isinstance(message, TypedLine):
                    tags.add(message.text)  # which tag it is, nothing but a rule tells
    return {tag for tag in tags if len(tag) >= 2 * LEAST_TAG_BYTES}


@given(_entries)
def test_any_capture_is_read_as_it_was_written(entries: list[Piece | Happening]) -> None:
    capture = Capture({"device": "pn532"}, tuple(sorted(entries, key=lambda entry: entry.at_ns)))
    assert read_capture(text_of(capture), "x") == capture


@given(st.text(max_size=200))
def test_any_text_is_a_capture_or_one_sentence(text: str) -> None:
    try:
        read_capture(f"# shoe-bridge capture 1\n{text}", "x")
    except UsageError as error:
        said = str(error)
    else:
        return
    assert said.startswith("x")


@pytest.mark.parametrize("kind", sorted(CODECS))
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_redacted_capture_names_no_tag_however_it_was_cut(kind: str, data: st.DataObject) -> None:
    """Good frames, damaged ones and noise behind each other: refused in one sentence, or without names."""
    streams = streams_of(kind)
    chosen = data.draw(st.lists(st.sampled_from(streams), min_size=1, max_size=5))
    noise = data.draw(st.binary(max_size=12))
    edges = data.draw(st.lists(st.integers(min_value=0, max_value=500), max_size=6))
    gap_ns = data.draw(st.sampled_from((0, 1_000_000, 2_000_000_000)))
    capture = cut(b"".join(chosen) + noise + chosen[0], edges, gap_ns)
    tags = tags_in(capture, kind)
    try:
        result = redacted(capture, "x", CODECS[kind])
    except UsageError:
        return
    out = b"".join(piece.data for piece in result.pieces)
    if kind == "hid_keyboard":
        assert not tags & tags_in(result, kind)
        assert all(encode_text(text, has_enter=False) not in out for text in tags)
        return
    for tag in tags:
        for form in (bytes.fromhex(tag), tag.encode(), tag.lower().encode(), bytes.fromhex(tag)[::-1]):
            assert form not in out
    if tags:
        assert not tags & tags_in(result, kind)
    assert len(result.pieces) <= len(capture.pieces)
