"""All devices by kind: how their frames are delimited, and what their bodies mean.

A body that means nothing is a value (`Failure`), never an exception.
"""

from collections.abc import Callable, Mapping

import msgspec

from protocol import pepper_c1, tablelink
from protocol.envelopes import Envelope
from protocol.messages import Decoded, Failure, HostCommand


class Codec(msgspec.Struct, frozen=True):
    """One kind of device.

    `decode(envelope_name, body)` never raises, on any input. `encode(command)` gives the whole frame of a
    host command and raises ValueError on a command or an argument that the device does not have.
    """

    kind: str
    envelopes: tuple[Envelope, ...]
    decode: Callable[[str, bytes], Decoded | Failure]
    encode: Callable[[HostCommand], bytes]


CODECS: Mapping[str, Codec] = {
    codec.kind: codec
    for codec in (
        Codec("tablelink", tablelink.ENVELOPES, tablelink.decode, tablelink.encode_command),
        Codec("pepper_c1", pepper_c1.ENVELOPES, pepper_c1.decode, pepper_c1.encode_command),
    )
}
