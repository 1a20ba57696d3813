"""`shoe-bridge capture`: records what crosses a device's port, with times, for a device that misbehaves."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoe_bridge.cli.counted import counted

if TYPE_CHECKING:
    from protocol.codec import Codec
    from shoe_bridge.cli.capture_run import Recording
    from shoe_bridge.runtime.config import DeviceConfig


def capture(
    device: Annotated[str, typer.Option("--device", help="The kind of device.", metavar="KIND")],
    port: Annotated[str, typer.Option("--port", help="The device's port.", metavar="PORT")],
    file: Annotated[Path, typer.Argument(help="The capture to write, - for stdout.")],
    listen: Annotated[
        bool, typer.Option("--listen", help="Write nothing to the device, not even what its link asks.")
    ] = False,
    seconds: Annotated[
        float | None, typer.Option(help="End after so long; left out: with Ctrl-C.", metavar="S", min=0.1)
    ] = None,
    baud: Annotated[
        int, typer.Option(help="Speed in bit/s; left out: what the kind comes with.", metavar="N")
    ] = 0,
    parity: Annotated[
        str, typer.Option(help="N, E or O; left out: what the kind comes with.", metavar="P")
    ] = "",
    redact: Annotated[
        bool,
        typer.Option("--redact", help="Put pseudonyms for tags and cards, so that it may be shared."),
    ] = False,
    preset: Annotated[
        str | None,
        typer.Option(help="With --redact: the project whose lines a text_line prints; left out: any."),
    ] = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option(help="With --redact: a line of a text_line, with named groups; may be repeated."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Record a device's bytes with times, until Ctrl-C. Exit code 1 if nothing came or the port was lost."""
    from shoe_bridge.cli.capture_run import record
    from shoe_bridge.cli.live_device import whole_device
    from shoe_bridge.cli.recorded import recorded_codec
    from shoe_bridge.errors import UsageError

    config = whole_device(device, port, baud, parity)
    if (preset or pattern) and not redact:
        raise UsageError("--preset and --pattern are for --redact: give it too, or leave them out")
    codec = recorded_codec(device, preset, tuple(pattern or ())) if redact else None
    to_stdout = str(file) == "-"
    if file.exists() and not (force or to_stdout):
        raise UsageError(f"{file} exists already: choose another name, or give --force to write over it")
    if redact and to_stdout:
        raise UsageError("a capture is redacted when it is whole: give a file instead of - with --redact")
    header = header_of(config, is_listening=listen)
    if codec is not None:
        recording = _record_redacted(
            config, codec, file, header, is_listening=listen, seconds=seconds, force=force
        )
    else:
        recording = record(config, file, header, is_listening=listen, seconds=seconds)
    typer.echo(_summary(recording, file, port), err=True)
    raise typer.Exit(0 if recording.received and recording.lost is None else 1)


def header_of(config: "DeviceConfig", *, is_listening: bool) -> dict[str, str]:
    """What a reader of the capture must know of the device, the port and the programs."""
    import platform
    from datetime import UTC, datetime

    from shoe_bridge import __version__
    from shoe_bridge.adapters.usb_names import is_usb
    from shoe_bridge.cli.capture_decode import ONE_REPORT, READS

    is_by_report = config.kind == "hid_keyboard" and is_usb(config.port)
    return {
        "device": config.kind,
        "port": config.port,
        "line": f"{config.baud} {config.parity}",
        "mode": "listening only" if is_listening else "asked as the bridge asks it",
        **({READS: ONE_REPORT} if is_by_report else {}),
        "shoe-bridge": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "began": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def _record_redacted(
    config: "DeviceConfig",
    codec: "Codec",
    file: Path,
    header: dict[str, str],
    *,
    is_listening: bool,
    seconds: float | None,
    force: bool,
) -> "Recording":
    """Tags are only ever in a hidden file beside, for this user alone; `file` is made when they are out, and
    the hidden file is removed then. UsageError names that file where it stays."""
    from shoe_bridge.cli.capture_file import read_capture, text_of
    from shoe_bridge.cli.capture_redact import redacted
    from shoe_bridge.cli.capture_run import record
    from shoe_bridge.cli.whole_file import replace_file
    from shoe_bridge.errors import ShoeBridgeError, UsageError

    raw = file.with_name(f".{file.name}.raw")
    if raw.exists() or raw.is_symlink():
        if not force:
            raise UsageError(
                f"{raw} is left of a capture that was broken off, and names its tags: redact it with "
                f"`shoe-bridge decode {raw} --redact {file}`, or remove it"
            )
        raw.unlink()  # so that the new one has the mode of a new one
    try:
        recording = record(config, raw, header, is_listening=is_listening, seconds=seconds, is_private=True)
        capture = read_capture(raw.read_text("utf-8"), str(raw))
        replace_file(file, text_of(redacted(capture, str(raw), codec)))
    except ShoeBridgeError as error:
        if not raw.exists():
            raise
        if not raw.stat().st_size:
            raw.unlink()
            raise
        said = str(error).rstrip(".")
        raise UsageError(
            f"{said}; {file} was not made, and {raw} names the tags: share it with nobody"
        ) from None
    except BaseException:  # it was interrupted while it put in the pseudonyms
        if raw.exists():
            typer.echo(f"{file} was not made, and {raw} names the tags: share it with nobody", err=True)
        raise
    raw.unlink()
    return recording


def _summary(recording: "Recording", file: Any, port: str) -> str:
    from shoe_bridge.adapters.port_faults import kept_waiting

    what = (
        f"{counted(recording.received, 'byte')} from the device in {counted(recording.reads, 'read')}, "
        f"{counted(recording.sent, 'byte')} to it, {counted(recording.frames, 'frame')}"
    )
    where = "" if str(file) == "-" else f"{file}: "
    lost = f"; the port was lost: {recording.lost}" if recording.lost else ""
    nothing = ""
    if not recording.received and not lost:
        nothing = f"; nothing came: check its power, its cable and --baud{kept_waiting(port)}"
    return f"{where}{recording.seconds:.1f} s, {what}{lost}{nothing}"
