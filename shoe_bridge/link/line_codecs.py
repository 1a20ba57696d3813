"""The codec of a device whose lines are a matter of its configuration: text_line and hid_keyboard."""

from collections.abc import Callable
from functools import partial

import msgspec

from protocol import hid_keyboard, hid_keys, patlite_ne, text_line
from protocol.codec import CODECS, Codec
from protocol.hid_reports import LAYOUTS, TRANSFERS
from protocol.text_presets import CHATTER
from shoe_bridge.articles import an
from shoe_bridge.errors import ConfigError
from shoe_bridge.link.link_config import LinkConfig

# Its bytes mean nothing but on a link that asks for them, so no recording of them is decoded by itself.
_LINK_ONLY = {
    "patlite_ne": Codec("patlite_ne", patlite_ne.ENVELOPES, patlite_ne.decode, patlite_ne.encode_command)
}


def line_codec(
    kind: str,
    *,
    preset: str | None = None,
    patterns: tuple[str, ...] = (),
    typed: str | None = None,
    layout: str | None = None,
) -> Codec:
    """The codec of `kind` for these lines, that of CODECS where nothing is named. Raises ValueError on a
    preset, pattern or rule that there is not, and on one that this kind does not have."""
    codec = _LINK_ONLY.get(kind) or CODECS[kind]
    if preset is not None or patterns:
        if kind != "text_line":
            raise ValueError(f"{an(kind)} has no preset and no pattern: they are for text_line")
        decode = text_line.decoder_of(preset, patterns)
        codec = msgspec.structs.replace(codec, decode=decode, closes=partial(text_line.closes, decode=decode))
    if (typed is not None or layout is not None) and kind != "hid_keyboard":
        raise ValueError(f"{an(kind)} types nothing: a rule or a layout is for hid_keyboard")
    if typed is not None:
        codec = msgspec.structs.replace(codec, decode=hid_keyboard.decoder_of(typed))
    if layout is not None:
        codec = msgspec.structs.replace(codec, envelopes=hid_keyboard.envelopes_of(layout))
    return codec


def keypad_codec(layout: str | None) -> Codec:
    """The codec of a hid_keyboard whose keys do something, with reports of that layout (None: boot). Its
    bytes are those of one that types: which of the two it is stands in the configuration alone. Raises
    ValueError on a layout that there is not."""
    form = layout or "boot"
    return Codec(
        hid_keys.NAME, hid_keys.envelopes_of(form), hid_keys.decoder_of(form), hid_keys.encode_command
    )


def transfer_question(keys: bool, layout: str | None) -> Callable[[bytes], bool]:
    """Is this what one USB transfer of a hid_keyboard may bring? With `keys`, of one whose keys do something:
    one report of its layout (None: boot). Else one of its layout (None: of any), or with a release behind it.
    Anything else is of no such layout, even where its parts look like reports."""
    if keys:
        size = LAYOUTS[layout or "boot"].size
        return lambda data: len(data) == size
    names = (layout,) if layout else tuple(TRANSFERS)
    sizes = {size: LAYOUTS[name].size for name in names for size in TRANSFERS[name]}
    return lambda data: len(data) in sizes and not any(data[sizes[len(data)] :])


def codec_of(config: LinkConfig) -> Codec:
    """The codec of one configured device. ConfigError where its lines cannot be decoded so."""
    try:
        if config.kind == "hid_keyboard" and config.keys:
            return keypad_codec(config.layout)
        return line_codec(
            config.kind,
            preset=config.preset,
            patterns=config.patterns,
            typed=config.typed,
            layout=config.layout,
        )
    except ValueError as error:
        raise ConfigError(f"device {config.name}: {error}") from None


def is_chatter(text: str, beginnings: tuple[str, ...] = ()) -> bool:
    """Whether a line that names no tag is known to be of those that never do, so that it is no damaged line
    of a tag: it is empty, or begins as the public programs' other lines or the house's own `beginnings`."""
    return not text or text.startswith(CHATTER + beginnings)


def chatter_beginning(text: str) -> str:
    """The beginning by which the line is known as one of the public programs' chatter; empty where it is
    not."""
    return next((beginning for beginning in CHATTER if text.startswith(beginning)), "")


def tag_of_name(text: str) -> str:
    """What stands for the tag where a device names a card, or types what no rule makes a tag of: the text's
    own characters in hex. It is the same at every device of that kind, and no chip's identity."""
    return text.encode("ascii", "replace").hex().upper()
