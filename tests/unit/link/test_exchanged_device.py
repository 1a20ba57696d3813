"""Who a device must be is said by whoever starts the link; what the link itself stored does not say it."""

import msgspec
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


def refusal_of(config: LinkConfig, *hellos: str) -> str:
    link = DeviceLink(config, Presence(), lambda _: False)
    link.opened(0, 1)
    for at_ns, said in enumerate(hellos, start=1):
        link.take(hello(said), at_ns)
    return link.refusal or ""


def test_two_devices_that_are_exchanged_are_both_named() -> None:
    plain = LinkConfig("keys-1", "tablelink", others={OTHER: "reader-1"})
    assert f"keys-1 says that it is device {OTHER}, which is reader-1:" in refusal_of(plain, OTHER)
    ours = LinkConfig("keys-1", "tablelink", identity=OURS, others={OTHER: "reader-1"})
    assert f"which is reader-1, where {OURS} is expected: exchange the cables" in refusal_of(ours, OTHER)
    assert refusal_of(plain, OURS) == ""


@pytest.mark.parametrize(
    ("config", "fix"),
    [
        (
            LinkConfig("keys-1", "tablelink", identity=OURS, is_remembered=True, remembered=("reader-1",)),
            "if they are to stay as they are, start with `--exchanged keys-1 --exchanged reader-1`",
        ),
        (
            LinkConfig("keys-1", "tablelink", identity=OURS),
            "correct the `identity` of keys-1 and reader-1 in the configuration",
        ),
        (
            LinkConfig("keys-1", "tablelink", identity=OURS, is_remembered=True),
            "if they are to stay as they are, start with `--exchanged keys-1` and correct the `identity` of "
            "reader-1 in the configuration",
        ),
        (LinkConfig("keys-1", "tablelink"), "correct the `identity` of reader-1 in the configuration"),
        (
            LinkConfig("keys-1", "tablelink", remembered=("reader-1",)),
            "if they are to stay as they are, start with `--exchanged reader-1`",
        ),
    ],
)
def test_the_way_out_is_where_the_identity_is_known_from(config: LinkConfig, fix: str) -> None:
    said = refusal_of(msgspec.structs.replace(config, others={OTHER: "reader-1"}), OTHER)
    assert said.endswith(f"exchange the cables of keys-1 and reader-1, or {fix}")


def test_a_device_that_was_another_one_before_says_how_to_go_on() -> None:
    remembered = LinkConfig("keys-1", "tablelink", identity=OURS, is_remembered=True)
    said = refusal_of(remembered, OTHER)
    assert f"it was {OURS} when it was used here last" in said
    assert "--exchanged keys-1" in said
    assert refusal_of(remembered, OURS) == ""
