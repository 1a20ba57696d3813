"""How a tablelink device follows the tags at one antenna: what is new, what stays, what is gone."""

import msgspec

from shoe_bridge.sim.noise import Read

GONE_AFTER_POLLS = 2


class PollOutcome(msgspec.Struct, frozen=True):
    """One poll of one antenna: tags that newly answer, that answer again, and that are now held for gone."""

    seen: tuple[Read, ...]
    still: tuple[Read, ...]
    gone: tuple[str, ...]


class AntennaMemory:
    """The tags that an antenna holds for present. A tag is gone after `gone_after_polls` polls in a row
    without it, so that one missed answer costs no place in the event ring."""

    def __init__(self, gone_after_polls: int = GONE_AFTER_POLLS) -> None:
        self._gone_after_polls = gone_after_polls
        self._misses: dict[str, int] = {}

    def take(self, reads: list[Read]) -> PollOutcome:
        """Compare one poll's reads with what was there before."""
        seen = tuple(read for read in reads if read.tag not in self._misses)
        still = tuple(read for read in reads if read.tag in self._misses)
        answered = {read.tag for read in reads}
        gone = []
        for tag in [tag for tag in self._misses if tag not in answered]:
            self._misses[tag] += 1
            if self._misses[tag] >= self._gone_after_polls:
                del self._misses[tag]
                gone.append(tag)
        self._misses.update(dict.fromkeys(answered, 0))
        return PollOutcome(seen, still, tuple(gone))
