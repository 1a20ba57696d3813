"""The article before a word that is only known when the sentence is made."""


def an(word: str) -> str:
    """`a tablelink`, `an angel_eye`: by the first letter, which is right for the kinds that there are."""
    return f"an {word}" if word[:1].lower() in tuple("aeio") else f"a {word}"
