"""A model of the Angel Eye II-EX: numbered reports with a check, three copies of each.

It says S when it comes up. Reports that fall into the time when the plug is out are lost with their numbers.
"""

from protocol.angel_eye import encode_report
from protocol.checksums import xor8
from protocol.messages import CardDrawn, CardUnread, DeviceFault, Message, ShoeReport
from shoe_bridge.sim.one_way_shoe import OneWayShoe

COPIES = 3
COPY_GAP_MS = 50
START_UP_MS = 300
SEQUENCES = 9


class AngelEyeShoe(OneWayShoe):
    """One shoe. `spoil_next` takes a fate for each copy: three are usual, a fourth one may come."""

    kind = "angel_eye"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._sequence = 0
        self.reboot()

    def reboot(self) -> None:
        """Power comes: the numbers begin at 1 with S."""
        self._sequence = 0
        self._timetable.at(self.now_ms + START_UP_MS, lambda: self.report("started"))

    # -- what happens

    def draw(self, card: str | None, target: str = "player 1", context: str = "game") -> None:
        """A card leaves the shoe; None is one that it cannot read."""
        self._say_report(CardUnread() if card is None else CardDrawn(card, target=target, context=context))

    def send_again(self, card: str) -> None:
        """The report R, whatever it means."""
        self._say_report(CardDrawn(card, target="player 1", context="redeal_or_repeat"))

    def report(self, what: str, value: str | None = None) -> None:
        """One of the words of ShoeReport."""
        self._say_report(ShoeReport(what, value))

    def fault(self, code: int, is_cleared: bool = False) -> None:
        self._say_report(DeviceFault(code, cleared=is_cleared))

    def skip(self, reports: int) -> None:
        """So many reports are lost with all their copies."""
        self._sequence += reports

    # -- the line

    def _say_report(self, message: Message) -> None:
        self._sequence = self._sequence % SEQUENCES + 1
        self._say(encode_report(message, self._sequence), COPIES, COPY_GAP_MS)

    def _forged(self, data: bytes) -> bytes:
        """Another card, and a check that fits: as two wrong bits in one column would leave it."""
        other = bytearray(data)
        other[4] = data[4] & 0x8F | (0x10 if data[4] & 0x70 == 0x20 else 0x20)
        other[-2:] = b"%02X" % xor8(bytes(other[1:-2]))
        return bytes(other)
