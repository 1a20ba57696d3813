"""`shoe-bridge decode`: bytes to messages."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from shoe_bridge.errors import UsageError

_READ_BYTES = 64 * 1024


def decode(
    device: Annotated[str, typer.Option("--device", help="The kind of device.", metavar="KIND")],
    file: Annotated[str | None, typer.Argument(help="A file of raw bytes, - for stdin.")] = None,
    hex_text: Annotated[str | None, typer.Option("--hex", help='Bytes as hex, "F5 03 00 ...".')] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    preset: Annotated[
        str | None, typer.Option(help="The project whose lines a text_line prints; left out: any.")
    ] = None,
    pattern: Annotated[
        list[str] | None, typer.Option(help="A line of a text_line, with named groups; may be repeated.")
    ] = None,
    typed: Annotated[
        str | None, typer.Option(help="How a hid_keyboard types a tag, such as decimal.", metavar="RULE")
    ] = None,
) -> None:
    """Show what a device's bytes mean: its frames and messages, what is junk and why, what is pending."""
    import msgspec

    from protocol.codec import CODECS
    from shoe_bridge.link.decoder import Decoder, pending_line, result_lines
    from shoe_bridge.link.line_codecs import line_codec

    if device not in CODECS:
        raise UsageError(f"{device!r} is no kind of device: use one of {', '.join(CODECS)}")
    if (file is None) == (hex_text is None):
        raise UsageError("give either a file (- for stdin) or --hex with the bytes")
    try:
        decoder = Decoder(line_codec(device, preset=preset, patterns=tuple(pattern or ()), typed=typed))
    except ValueError as error:
        raise UsageError(f"these lines cannot be decoded: {error}") from None

    def show(line: dict[str, Any]) -> None:
        typer.echo(msgspec.json.encode(line).decode() if as_json else _text(line))

    for chunk in _chunks(file, hex_text):
        for line in result_lines(decoder.feed(chunk)):
            show(line)
    for line in result_lines(decoder.finish()):
        show(line)
    if decoder.pending:
        show(pending_line(decoder.pending))


def _chunks(file: str | None, hex_text: str | None) -> Iterator[bytes]:
    if hex_text is not None:
        try:
            yield bytes.fromhex(hex_text)
        except ValueError:
            raise UsageError(
                "--hex takes pairs of hex digits, for example --hex 'F5 03 00 FC FF 01 D1 F1'"
            ) from None
        return
    try:
        if file == "-" and sys.stdin is None:
            raise UsageError("there is no standard input: name a file of raw bytes")
        with sys.stdin.buffer if file == "-" else Path(file or "").open("rb") as source:
            while data := os.read(source.fileno(), _READ_BYTES):
                yield data
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror}): name a file of raw bytes") from None


def _text(line: dict[str, Any]) -> str:
    if line["type"] == "junk":
        return f"junk     {line['reason']:<12} {_short(line['hex'])}"
    if line["type"] == "pending":
        return f"pending  {line['bytes']} bytes of a frame that is not whole"
    messages = "; ".join(_message(message) for message in line["messages"])
    return f"frame    {messages or 'nothing to tell'}   {_short(line['hex'])}"


def _message(message: dict[str, Any]) -> str:
    fields = " ".join(
        f"{key}={value}" for key, value in message.items() if key != "kind" and value is not None
    )
    return f"{message['kind']} {fields}".rstrip()


def _short(digits: str) -> str:
    return digits if len(digits) <= 64 else f"{digits[:60]}... ({len(digits) // 2} bytes)"
