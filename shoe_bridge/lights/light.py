"""What every kind of light can do, seen from the reconciler. No I/O, no clock.

A light takes `Write`s and may answer with `Report`s: both are bytes for a light with a port of its own; a
lamp on a device's link takes and gives frozen structs instead.
"""

from typing import Protocol, TypeVar

from shoe_bridge.table.light_state import LightState

Write = TypeVar("Write")
Report_contra = TypeVar("Report_contra", contravariant=True)


class Light(Protocol[Write, Report_contra]):
    """One light. Its limits are read by the reconciler and never change."""

    @property
    def keep_alive_ms(self) -> int:
        """The promise is renewed at least this often; 0: what was shown stands for ever."""

    @property
    def min_gap_ms(self) -> int:
        """The shortest time between two writes that the device bears."""

    @property
    def confirm_ms(self) -> int:
        """How long after the last write a confirmation may take; 0 where `can_confirm` is False."""

    @property
    def can_confirm(self) -> bool:
        """Whether the device can say what it shows."""

    def show(self, state: LightState) -> list[Write]:
        """The writes that make it show `state`, the most urgent first, each to be sent on its own."""

    def verify(self) -> list[Write]:
        """The writes that ask what it shows; empty when it cannot be asked, or tells of itself."""

    def take(self, report: Report_contra) -> LightState | None:
        """What the device said; the state that it thereby confirmed, None when it confirmed none (yet)."""
