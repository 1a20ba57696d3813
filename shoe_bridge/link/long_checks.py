"""Whether long stretches of the same bytes end with their check, without going through all of each.

Noise may begin a long frame every few bytes, and each would be gone through to its end. The checksum of a
stretch follows from the two of what stands before its start and before its end, because it is linear:

    of(stretch, first) = of(all up to its end, 0) ^ past(of(all up to its start, 0) ^ first, its size)

`past(value, size)` is what becomes of a value over so many zeros. Both are kept for every `_STEP` bytes, so
that no answer goes through more than that.
"""

from functools import cache

from protocol.checksums import Mirror

_STEP = 256
_ZEROS = bytes(_STEP)
LONG = 4 * _STEP  # shorter stretches are gone through as quickly


class LongChecks:
    """The answers for one checksum. Remembers the bytes it was last asked of."""

    def __init__(self, mirror: Mirror) -> None:
        self._mirror = mirror
        self._data = self._image = b""
        self._heads = [0]  # of all bytes up to each multiple of the step
        self._over_zeros = cache(self._tables)

    def is_whole(self, data: bytes, start: int, end: int) -> bool:
        """Whether `data[start:end]` is bytes with their check behind them."""
        if data is not self._data:
            self._data, self._image, self._heads = data, self._mirror.image(data), [0]
        return self._head(end) == self._past(self._head(start) ^ self._mirror.first, end - start)

    def _head(self, end: int) -> int:
        heads, image, compute = self._heads, self._image, self._mirror.compute
        steps = end // _STEP
        while len(heads) <= steps:
            at = (len(heads) - 1) * _STEP
            heads.append(compute(image[at : at + _STEP], heads[-1]))
        return compute(image[steps * _STEP : end], heads[steps])

    def _past(self, value: int, size: int) -> int:
        steps, rest = divmod(size, _STEP)
        value = self._mirror.compute(_ZEROS[:rest], value)
        high, low = self._over_zeros(steps)
        return high[value >> 8] ^ low[value & 0xFF]

    def _tables(self, steps: int) -> tuple[list[int], list[int]]:
        """What becomes of each value of the high byte and of the low byte over so many steps of zeros."""
        if not steps:
            return [byte << 8 for byte in range(0x100)], list(range(0x100))
        high, low = self._over_zeros(steps - 1)
        compute = self._mirror.compute
        return [compute(_ZEROS, value) for value in high], [compute(_ZEROS, value) for value in low]
