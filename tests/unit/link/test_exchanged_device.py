"""Who a device is comes from the configuration and the device itself, never from what an earlier run saw."""

import pytest

from protocol import tablelink
from protocol.messages import Hello, Stamp
from shoe_bridge.link.device_link import DeviceLink, LinkConfig
from shoe_bridge.link.presence import Presence

OURS, OTHER = "0011223344556677", "8899AABBCCDDEEFF"
STAMP = Stamp(0, False, False, 5)


def hello(device_id: str) -> bytes:
    return tablelink.encode(Hello(device_id, "1.0.0", 7, ("keys",), keys=3), STAMP)


def link_to(identity: str | None) -> DeviceLink:
    return DeviceLink(LinkConfig("keys-1", "tablelink", identity=identity), Presence(), lambda _: False)


def test_a_box_may_be_exchanged_between_two_runs_where_no_identity_is_configured() -> None:
    before = link_to(None)
    before.opened(0, 1)
    before.take(hello(OURS), 1)
    after = link_to(None)
    after.restore(before.snapshot())
    after.opened(10, 1)
    after.take(hello(OTHER), 11)
    assert after.refusal is None


@pytest.mark.parametrize(("configured", "is_refused"), [(OURS, False), (OTHER, True)])
def test_the_configured_identity_has_the_last_word(configured: str, is_refused: bool) -> None:
    before = link_to(None)
    before.opened(0, 1)
    before.take(hello(OTHER if configured == OURS else OURS), 1)
    after = link_to(configured)
    after.restore(before.snapshot())
    after.opened(10, 1)
    after.take(hello(OURS), 11)
    assert (after.refusal is not None) is is_refused
