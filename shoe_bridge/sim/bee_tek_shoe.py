"""A model of the Bee-Tek shoe in the mode Manual Burn Cards: a line of text for each card."""

from protocol.bee_tek import encode_record
from protocol.messages import CardDrawn, CardUnread, DeviceFault, Message
from shoe_bridge.sim.one_way_shoe import OneWayShoe, flipped

LINE_MS = 30  # one line at 9600 baud
MODE = "Manual Burn Cards"


class BeeTekShoe(OneWayShoe):
    """One shoe. It says nothing at all until the first card."""

    kind = "bee_tek"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._held: bytes | None = None
        self._holds_next = False

    # -- what happens

    def draw(self, card: str | None) -> None:
        """A card leaves the shoe; None is one that it cannot read."""
        message: Message = CardUnread() if card is None else CardDrawn(card, context="outside_game")
        self._say_record(encode_record(message, MODE))

    def alarm(self, number: int, words: str) -> None:
        self._say_record(encode_record(DeviceFault(number, f"E{number} {words}"), MODE))

    def warn(self, number: int) -> None:
        self._say_record(encode_record(DeviceFault(number, f"W0x{number:02X}")))

    def share_blank(self) -> None:
        """The next record goes out in one line with the one after it, with a single blank between them."""
        self._holds_next = True

    # -- the line

    def _say_record(self, record: bytes) -> None:
        if self._holds_next:
            self._holds_next = False
            self._held = record
            return
        line = record if self._held is None else self._held + b" " + record
        self._held = None
        self._say(b" " + line + b" \r\n", 1, LINE_MS)

    def _garbled(self, data: bytes) -> bytes:
        """The last letter is none."""
        return flipped(data, data.rindex(b">") - 1)

    def _forged(self, data: bytes) -> bytes:
        """Another suit, which nothing on this line gives away."""
        at = data.rindex(b">") - 1
        return data[:at] + (b"H" if data[at : at + 1] == b"S" else b"S") + data[at + 1 :]
