"""What a link is told of its device."""

import msgspec


class LinkConfig(msgspec.Struct, frozen=True):
    """One device. `kind` is `tablelink` or `pepper_c1`; `antennas`: number -> place, `keys`: number -> name.

    `identity` is the device id (tablelink: 16 hex digits) or device name (Pepper) that the device must give;
    None accepts the first one that comes and holds later ones to it. `cycle_ms` is one polling cycle over
    all antennas, `gone_after_polls` the clean polls without a tag that prove its absence, `hold_ms` the
    silence of a tag that proves it at a reader without empty polls (poll time-out 200 ms + 300 ms).
    """

    name: str
    kind: str
    antennas: dict[int, str] = {}
    keys: dict[int, str] = {}
    identity: str | None = None
    cycle_ms: int = 400
    gone_after_polls: int = 2
    hold_ms: int = 500

    @property
    def places(self) -> tuple[str, ...]:
        """The places in the order of the antenna numbers, each once."""
        return tuple(dict.fromkeys(place for _, place in sorted(self.antennas.items())))
