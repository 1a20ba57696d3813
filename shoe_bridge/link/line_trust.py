"""How far lines are trusted that carry no checksum: noise, another speed and another device make lines too.

A line *fits* where a pattern makes something of it, or where it is chatter that is known of such a device. An
empty line is neither good nor bad: noise makes it at every second line end. Everything else is junk.

A device that was lost or refused for what it sends is *doubted*: it comes back with two lines running that
fit, and not before a hold-off is over that doubles with each such loss, from 1 s to 60 s. A life of 60 s ends
the doubling. So noise that fits now and then costs at most about one loss a minute in the long run.
"""

import msgspec

from shoe_bridge.link.session import SILENT_NS

NS_PER_S = 1_000_000_000
MOST_JUNK = 20
START_NS = NS_PER_S // 2
QUIET_NS = 1 * NS_PER_S
LATEST_START_NS = 20 * NS_PER_S
MOST_QUOTED = 40  # characters of a line that is shown to people
FITS_WHEN_DOUBTED = 2
FIRST_HOLD_NS = 1 * NS_PER_S
LONGEST_HOLD_NS = 60 * NS_PER_S
STABLE_NS = 60 * NS_PER_S


class LineTrust(msgspec.Struct):
    """What is held for and against one device. Times are monotonic ns.

    `junk` and `fits`: results running that mean nothing, and lines running that fit. `unquiet_ns`: when
    something came last of which nothing could be made (None: never in this life). `hold_ns`: the newest
    hold-off, 0 while the device is not doubted; `held_until_ns`: its end. `live_ns`: since when it is live.
    `text`: the newest line that fits nothing, empty where bytes came that are no text.
    """

    junk: int = 0
    fits: int = 0
    unquiet_ns: int | None = None
    hold_ns: int = 0
    held_until_ns: int = 0
    live_ns: int = 0
    text: str = ""

    @property
    def is_junk(self) -> bool:
        """Whether so much junk came running that the device is not the configured one."""
        return self.junk >= MOST_JUNK

    @property
    def has_enough_fits(self) -> bool:
        """Whether so many lines fitted that the device may be live, once no hold-off runs."""
        return self.fits >= (FITS_WHEN_DOUBTED if self.hold_ns else 1)

    def is_quiet(self, at_mono_ns: int) -> bool:
        """Whether nothing unclear came for a second."""
        return self.unquiet_ns is None or at_mono_ns >= self.unquiet_ns + QUIET_NS

    def quiet_due_ns(self, opened_ns: int) -> int:
        """Until when a device that was heard from since `opened_ns` and printed no line that fits has time to
        be quiet: 0.5 s, or 3 s of which the last one is quiet, but no more than 20 s."""
        if self.unquiet_ns is None:
            return opened_ns + START_NS
        if self.is_junk:
            return opened_ns + SILENT_NS
        due_ns = max(opened_ns + SILENT_NS, self.unquiet_ns + QUIET_NS)
        return min(due_ns, opened_ns + LATEST_START_NS)

    def may_live(self, at_mono_ns: int) -> bool:
        """Whether the lines that fitted are enough at this moment."""
        return self.has_enough_fits and at_mono_ns >= self.held_until_ns

    def fitted(self) -> None:
        """A line came that such a device prints."""
        self.junk = 0
        self.fits += 1

    def unfit(self, at_mono_ns: int, text: str = "") -> None:
        """Something came that means nothing; `text`, where it was a line of text."""
        self.junk += 1
        self.fits = 0
        self.unquiet_ns = at_mono_ns
        self.text = text

    def begun(self, at_mono_ns: int) -> None:
        """A line has begun and not ended yet: the device is not quiet."""
        self.unquiet_ns = at_mono_ns

    def started(self) -> None:
        """A new attempt to hear the device begins; what it is doubted for stays."""
        self.junk = self.fits = 0
        self.unquiet_ns = None

    def lived(self, at_mono_ns: int) -> None:
        """The device is live from now."""
        self.live_ns = at_mono_ns

    def doubt(self, at_mono_ns: int, *, was_live: bool) -> None:
        """The device is lost or refused for what it sends."""
        if was_live and at_mono_ns - self.live_ns >= STABLE_NS:
            self.hold_ns = 0
        self.hold_ns = min(max(FIRST_HOLD_NS, 2 * self.hold_ns), LONGEST_HOLD_NS)
        self.held_until_ns = at_mono_ns + self.hold_ns
        self.fits = 0


def unfit_sentence(device: str, text: str) -> str:
    """What people must do where `device` prints lines such as `text`, which fit nothing."""
    return (
        f"{device} prints lines that fit no pattern, such as {text[:MOST_QUOTED]!r}: check `kind`, `baud` "
        f"and `preset` or `patterns` of this device in the configuration, or name there in `chatter` how "
        f"lines begin that tell nothing"
    )
