"""`shoe-bridge decode`: bytes to messages."""

import itertools
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoe_bridge.cli.counted import counted
from shoe_bridge.errors import UsageError

if TYPE_CHECKING:
    from protocol.codec import Codec
    from shoe_bridge.cli.capture_file import Capture

_Lines = tuple[str | None, tuple[str, ...], str | None, str | None]  # as `recorded_codec` takes them
_READ_BYTES = 64 * 1024
_SIGNS = {"device": "<", "host": ">"}


def decode(
    device: Annotated[
        str | None,
        typer.Option("--device", help="The kind of device; a capture names it itself.", metavar="KIND"),
    ] = None,
    file: Annotated[str | None, typer.Argument(help="A capture or a file of raw bytes, - for stdin.")] = None,
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
    keys: Annotated[
        str | None,
        typer.Option(
            "--keys",
            help="The layout of a hid_keyboard's reports, such as boot: its keys, not what they type.",
            metavar="LAYOUT",
        ),
    ] = None,
    redact: Annotated[
        Path | None,
        typer.Option(
            "--redact", help="Write the capture with pseudonyms for tags and cards there.", metavar="FILE"
        ),
    ] = None,
) -> None:
    """Show what a device's bytes mean: its frames and messages, what is junk and why, what is pending. Of a
    capture, also when each frame came and who sent it."""
    import msgspec

    from shoe_bridge.cli.capture_file import is_capture
    from shoe_bridge.link.decoder import Decoder, pending_line, result_lines

    if (file is None) == (hex_text is None):
        raise UsageError("give either a file (- for stdin) or --hex with the bytes")
    lines: _Lines = (preset, tuple(pattern or ()), typed, keys)
    if redact is not None and keys is not None:
        raise UsageError("the reports of a keypad name no tag and no card: share the capture as it is")
    if device is not None:
        _codec(device, lines)

    def show(line: dict[str, Any]) -> None:
        typer.echo(msgspec.json.encode(line).decode() if as_json else _text(line))

    chunks = _chunks(file, hex_text)
    first = _beginning(chunks)
    if is_capture(first):
        _decode_capture(itertools.chain([first], chunks), file or "", device, lines, redact, show)
        return
    if redact is not None:
        raise UsageError("only a capture can be redacted: record one with `shoe-bridge capture`")
    decoder = Decoder(_codec(device, lines))
    for chunk in itertools.chain([first], chunks):
        for line in result_lines(decoder.feed(chunk)):
            show(line)
    for line in result_lines(decoder.finish()):
        show(line)
    if decoder.pending:
        show(pending_line(decoder.pending))


def _beginning(chunks: Iterator[bytes]) -> bytes:
    """The first bytes, and more while a pipe has not said yet whether they begin a capture."""
    from shoe_bridge.cli.capture_file import is_capture, may_be_capture

    first = next(chunks, b"")
    while first and not is_capture(first) and may_be_capture(first):
        more = next(chunks, b"")
        if not more:
            break
        first += more
    return first


def _codec(device: str | None, lines: _Lines) -> "Codec":
    from protocol.codec import CODECS
    from shoe_bridge.cli.recorded import recorded_codec

    if device is None:
        raise UsageError(f"name the kind of the device with --device: one of {', '.join(CODECS)}")
    return recorded_codec(device, *lines)


def _decode_capture(
    chunks: Iterable[bytes],
    file: str,
    device: str | None,
    lines: _Lines,
    redact: Path | None,
    show: Callable[[dict[str, Any]], None],
) -> None:
    """A capture: both directions, with times; --device counts for more than what the capture says. Each line
    is shown as soon as it is there; only to redact one it must be whole."""
    from shoe_bridge.cli.capture_decode import CaptureDecoder, meaning_lines, transfer_question_of
    from shoe_bridge.cli.capture_file import Capture, CaptureLines, Happening, whole_lines
    from shoe_bridge.link.decoder import pending_line

    entries = CaptureLines(whole_lines(chunks, file), file)
    codec = _codec(device or entries.header.get("device"), lines)
    if redact is not None:
        _write_redacted(Capture(entries.header, tuple(entries)), file, codec, redact)
        return
    decoder = CaptureDecoder(codec, transfer_question_of(entries.header, codec.kind, keys=lines[3]))
    for entry in entries:
        if isinstance(entry, Happening):
            show({"type": "happened", "text": entry.text, "at_ms": round(entry.at_ns / 1e6, 3)})
            continue
        for meaning in decoder.feed(entry):
            for line in meaning_lines(meaning):
                show(line)
    for meaning in decoder.finish():
        for line in meaning_lines(meaning):
            show(line)
    if decoder.pending:
        show(pending_line(decoder.pending))


def _write_redacted(capture: "Capture", file: str, codec: "Codec", to: Path) -> None:
    from shoe_bridge.cli.capture_file import text_of
    from shoe_bridge.cli.capture_redact import redacted
    from shoe_bridge.cli.whole_file import replace_file

    if to.exists():
        raise UsageError(f"{to} exists already: name another file for the redacted capture")
    result = redacted(capture, file, codec)
    replace_file(to, text_of(result))
    typer.echo(f"{to}: {result.header['redacted']}", err=True)


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
    if "at_ms" in line:
        return f"{line['at_ms']:12.3f} {_SIGNS.get(line.get('sent_by', ''), '!')} {_plain_text(line)}"
    return _plain_text(line)


def _plain_text(line: dict[str, Any]) -> str:
    if line["type"] == "happened":
        return str(line["text"])
    if line["type"] == "junk":
        return f"junk     {line['reason']:<12} {_short(line['hex'])}"
    if line["type"] == "pending":
        return f"pending  {counted(line['bytes'], 'byte')} of a frame that is not whole"
    messages = "; ".join(_message(message) for message in line["messages"])
    return f"frame    {messages or 'nothing to tell'}   {_short(line['hex'])}"


def _message(message: dict[str, Any]) -> str:
    return " ".join([str(message["kind"]), *_fields(message, but="kind")])


def _fields(of: dict[str, Any], but: str = "") -> Iterator[str]:
    """`key=value` of all that is said; what is said within a field, such as `args`, stands beside it."""
    for key, value in of.items():
        if isinstance(value, dict):
            yield from _fields(value)
        elif isinstance(value, list | tuple):
            yield from [f"{key}={','.join(map(str, value))}"] if value else []
        elif key != but and value is not None:
            yield f"{key}={value}"


def _short(digits: str) -> str:
    return digits if len(digits) <= 64 else f"{digits[:60]}... ({len(digits) // 2} bytes)"
