"""Cards: a rank then a suit, `9d`, `Th`, `As`. Ranks rise 2 to A, suits rise c d h s."""

RANKS = "23456789TJQKA"
SUITS = "cdhs"
JOKER = "joker"

STANDARD_52: tuple[str, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)


def is_card(text: str) -> bool:
    """True for one of the 52 cards; a joker is no card."""
    return len(text) == 2 and text[0] in RANKS and text[1] in SUITS
