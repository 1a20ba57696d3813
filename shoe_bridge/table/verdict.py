"""What may be told of a hand: conclusions with how sure they are."""

import msgspec

from shoe_bridge.table.findings import Conclusion


class Judged(msgspec.Struct, frozen=True):
    """A conclusion with its probability (None: told beyond doubt) and the word for it."""

    conclusion: Conclusion
    certainty: str = "certain"
    probability: float | None = None


class Verdict(msgspec.Struct, frozen=True):
    """All that may stand. `is_erring`: that the dealer has erred is certain, though not in which way he
    did."""

    judged: list[Judged]
    is_erring: bool = False
