"""What a link is told of its device."""

import msgspec


class LinkConfig(msgspec.Struct, frozen=True):
    """One device. `kind` is one of `kinds.KINDS`; `antennas`: number -> place, `keys`: number -> name. The
    numbers of the keys of a hid_keyboard are their HID usages; one with keys types nothing.

    `identity` is the device id (tablelink: 16 hex digits) or device name (Pepper) that the device must give;
    None accepts the first one that comes and holds later ones to it. `is_remembered`: the identity is not
    configured, but the device had it when it was used here before. `others` are the identities of the table's
    other devices, with their names, `remembered` those of the names whose identity is not configured either.
    `cycle_ms` is one polling cycle over all antennas, `gone_after_polls` the clean polls without a tag that
    prove its absence, `hold_ms` the silence of a tag that proves it at a reader without empty polls (poll
    time-out 200 ms + 300 ms).
    `mode` is how a FEIG reader is asked: `inventory`, `buffered` or `notification`.
    Of text_line: `preset` or `patterns` are the lines that it prints (neither: those of all presets),
    `chatter` beginnings of lines that tell nothing; `repeats`: a line comes again while its tag stays;
    `heartbeat_s`: it prints something at least so often (0: unknown). Of hid_keyboard: `typed` is the rule
    by which typed text names a tag (None: the text stands for the tag), `layout` the form of its reports
    (None: told from the reports), `is_by_report`: each chunk is one of them, as a USB transfer is, where
    another path may cut them anywhere.
    """

    name: str
    kind: str
    antennas: dict[int, str] = {}
    keys: dict[int, str] = {}
    identity: str | None = None
    cycle_ms: int = 400
    gone_after_polls: int = 2
    hold_ms: int = 500
    mode: str = "inventory"
    preset: str | None = None
    patterns: tuple[str, ...] = ()
    chatter: tuple[str, ...] = ()
    repeats: bool = True
    heartbeat_s: int = 0
    typed: str | None = None
    layout: str | None = None
    is_by_report: bool = False  # so that what was recorded before replays as it was
    is_remembered: bool = False
    others: dict[str, str] = {}
    remembered: tuple[str, ...] = ()

    @property
    def single_antenna(self) -> int | None:
        """The number of the device's only antenna, or of the one for lines that name none (-1); None where
        there is neither."""
        if len(self.antennas) == 1:
            return next(iter(self.antennas))
        return -1 if -1 in self.antennas else None

    @property
    def places(self) -> tuple[str, ...]:
        """The places in the order of the antenna numbers, each once."""
        return tuple(dict.fromkeys(place for _, place in sorted(self.antennas.items())))
