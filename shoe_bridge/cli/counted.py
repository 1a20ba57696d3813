"""Numbers with their words, as people say them: `1 scenario`, `2 scenarios`."""


def counted(number: int, word: str, words: str | None = None) -> str:
    """`number` and its word; `words` where the plural is not the word with an s."""
    return f"{number} {word if number == 1 else words or word + 's'}"
