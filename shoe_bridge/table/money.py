"""Money is counted in whole cents, and shown as a decimal with two places."""

import msgspec


class Money(msgspec.Struct, frozen=True):
    """Cents that settling needs: the lowest chip, the jackpot pool when wagers lock, or its parts."""

    chip_cents: int | None = None
    pool_cents: int | None = None
    pool_major_cents: int | None = None
    pool_minor_cents: int | None = None


def decimal(cents: int) -> str:
    """`1250` as `12.50`."""
    return f"{cents // 100}.{cents % 100:02d}"


def cents_of(text: str) -> int:
    """`12.50` or `12` as 1250 or 1200. ValueError for anything else."""
    whole, point, fraction = text.partition(".")
    if not whole.isdecimal() or (point and not (len(fraction) == 2 and fraction.isdecimal())):
        raise ValueError(f"{text!r} is no amount: write it as 12.50")
    return int(whole) * 100 + int(fraction or 0)
