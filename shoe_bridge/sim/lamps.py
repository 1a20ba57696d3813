"""The lamps of a tablelink device: each shows what the host promised, and falls back by itself when the
promise runs out.
"""

from protocol.messages import LightReport

Shown = tuple[str, int, int, int]  # pattern, red, green, blue

NOT_MONITORED: Shown = ("flash", 0, 0, 255)  # the lamp's own pattern when no host renews its promise


class Lamp:
    """One lamp. Times are ms of the simulation."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.shown: Shown = NOT_MONITORED
        self.is_expired = True
        self.until_ms = 0
        self.history: list[tuple[int, str]] = []  # (when, pattern) of each change

    def set(self, shown: Shown, until_ms: int, at_ms: int) -> bool:
        """Take the host's promise, which holds until `until_ms`; gives whether the lamp looks different
        now."""
        self.until_ms = until_ms
        return self._show(shown, False, at_ms)

    def expire(self, at_ms: int) -> bool:
        """Fall back if the promise has run out; gives whether the lamp looks different now."""
        if self.is_expired or at_ms < self.until_ms:
            return False
        return self._show(NOT_MONITORED, True, at_ms)

    def _show(self, shown: Shown, is_expired: bool, at_ms: int) -> bool:
        is_change = (shown, is_expired) != (self.shown, self.is_expired)
        self.shown, self.is_expired = shown, is_expired
        if is_change:
            self.history.append((at_ms, shown[0]))
        return is_change

    def report(self) -> LightReport:
        pattern, red, green, blue = self.shown
        return LightReport(self.number, pattern, red, green, blue, self.is_expired)
