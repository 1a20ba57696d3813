"""The article before a kind of device."""

from shoe_bridge.articles import an
from shoe_bridge.runtime.config_kinds import DEVICE_KINDS, LIGHT_KINDS


def test_kinds_have_their_article() -> None:
    with_an = {kind for kind in (*DEVICE_KINDS, *LIGHT_KINDS) if an(kind).startswith("an ")}
    assert with_an == {"angel_eye", "adafruit_tower"}
    assert (an("angel_eye"), an("tablelink")) == ("an angel_eye", "a tablelink")
