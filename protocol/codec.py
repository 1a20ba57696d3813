"""All devices by kind: how their frames are delimited, and what their bodies mean.

A body that means nothing is a value (`Failure`), never an exception.
"""

from collections.abc import Callable, Mapping

import msgspec

from protocol import (
    angel_eye,
    bee_tek,
    feig_obid,
    hid_keyboard,
    pepper_c1,
    pn532,
    r2000,
    tablelink,
    text_line,
    yrm100,
)
from protocol.envelopes import Envelope
from protocol.messages import Decoded, Failure, HostCommand


class Codec(msgspec.Struct, frozen=True):
    """One kind of device.

    `decode(envelope_name, body)` never raises, on any input. `encode(command)` gives the whole frame of a
    host command and raises ValueError on a command or an argument that the device does not have. `filler`
    are bytes that may stand between frames and mean nothing. `closes(text)`, where frames are lines: whether
    the end of a recording may stand for the end of this line.
    """

    kind: str
    envelopes: tuple[Envelope, ...]
    decode: Callable[[str, bytes], Decoded | Failure]
    encode: Callable[[HostCommand], bytes]
    filler: bytes = b""
    closes: Callable[[bytes], bool] | None = None


CODECS: Mapping[str, Codec] = {
    codec.kind: codec
    for codec in (
        Codec("tablelink", tablelink.ENVELOPES, tablelink.decode, tablelink.encode_command),
        Codec("pepper_c1", pepper_c1.ENVELOPES, pepper_c1.decode, pepper_c1.encode_command),
        Codec("feig_obid", feig_obid.ENVELOPES, feig_obid.decode, feig_obid.encode_command),
        Codec("angel_eye", angel_eye.ENVELOPES, angel_eye.decode, angel_eye.encode_command),
        Codec("bee_tek", bee_tek.ENVELOPES, bee_tek.decode, bee_tek.encode_command, bee_tek.FILLER),
        Codec(
            "text_line",
            text_line.ENVELOPES,
            text_line.decode,
            text_line.encode_command,
            closes=text_line.closes,
        ),
        Codec("hid_keyboard", hid_keyboard.ENVELOPES, hid_keyboard.decode, hid_keyboard.encode_command),
        Codec("pn532", pn532.ENVELOPES, pn532.decode, pn532.encode_command),
        Codec("yrm100", yrm100.ENVELOPES, yrm100.decode, yrm100.encode_command),
        Codec("r2000", r2000.ENVELOPES, r2000.decode, r2000.encode_command),
    )
}
