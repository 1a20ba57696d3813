"""The kinds of device whose bytes can be told from a recording alone."""

from protocol.codec import CODECS, Codec
from shoe_bridge.articles import an
from shoe_bridge.errors import UsageError
from shoe_bridge.link.kinds import KINDS
from shoe_bridge.link.line_codecs import keypad_codec, line_codec


def recorded_codec(
    kind: str,
    preset: str | None = None,
    patterns: tuple[str, ...] = (),
    typed: str | None = None,
    keys: str | None = None,
) -> Codec:
    """The codec of `kind` for these lines, or for the keys of a keypad whose reports have the layout `keys`.
    UsageError for what is no kind, for one that only its live link understands, and for lines and keys that
    it does not have."""
    check_recorded(kind)
    if keys is not None and (kind != "hid_keyboard" or typed is not None):
        raise UsageError("--keys is for the keypads among hid_keyboard, which type no tags")
    try:
        if keys is not None:
            return keypad_codec(keys)
        return line_codec(kind, preset=preset, patterns=patterns, typed=typed)
    except ValueError as error:
        raise UsageError(f"these lines cannot be decoded: {error}") from None


def check_recorded(kind: str) -> None:
    """UsageError for what is no kind, and for one whose bytes mean nothing without the link that asks."""
    if kind in CODECS:
        return
    if kind in KINDS:
        raise UsageError(
            f"the bytes of {an(kind)} mean nothing but on the link that asks for them: see what"
            " `shoe-bridge doctor` says of the device"
        )
    raise UsageError(f"{kind!r} is no kind of device: use one of {', '.join(CODECS)}")
