"""Simulated USB lights take any bytes at any time, and are shown no more by being told twice."""

import hypothesis.strategies as st
from hypothesis import given
from light_looks import looks_of

from shoe_bridge.lights.policy import LOOKS
from shoe_bridge.lights.usb_lights import LOOKS_OF_KIND
from shoe_bridge.sim.light_looks import OFF
from shoe_bridge.sim.usb_light_device import HEADS, UsbLightDevice
from shoe_bridge.table.light_state import LightState

COLOURS = {"off", "red", "amber", "green", "blue", "white", "clear", "purple", "sky", "mixed"}
RHYTHMS = {"off", "steady", "slow", "fast", "flash", "blink", "mixed"}
HAVE_RHYTHM = [kind for kind in HEADS if LOOKS_OF_KIND[kind].has_rhythm]
kinds = st.sampled_from(sorted(HEADS))
# reports that begin as those of the lights do, so that they get beyond the first look at them
starts = st.sampled_from(
    [b"", b"\x01", b"\x03\xff", b"\x06\x00", b"\x00\x00", b"\x57", b"\x65", b"\x01p", b"\x01D"]
)
reports = st.builds(bytes.__add__, starts, st.binary(max_size=8))
gaps = st.integers(0, 20_000)


@given(kinds, st.lists(st.tuples(reports, gaps), max_size=20))
def test_any_bytes_are_a_command_or_none(kind: str, said: list[tuple[bytes, int]]) -> None:
    device, at_ms = UsbLightDevice("light", kind), 0
    for report, gap_ms in said:
        at_ms += gap_ms
        before = device.taken
        assert device.obey(report, at_ms) == (device.taken > before)
        seen = device.seen(at_ms)
        assert set(seen.colour.split("+")) <= COLOURS
        assert seen.rhythm in RHYTHMS
        assert (seen.colour == "off") == (seen.rhythm == "off")
    assert device.taken + device.ignored == len(said)
    assert [at for at, _ in device.history] == sorted(at for at, _ in device.history)
    assert all(one != other for (_, one), (_, other) in zip(device.history, device.history[1:], strict=False))


@given(st.sampled_from(HAVE_RHYTHM), st.lists(st.sampled_from(LightState), min_size=1, max_size=8), st.data())
def test_the_newest_state_alone_decides_what_is_seen(
    kind: str, states: list[LightState], data: st.DataObject
) -> None:
    device, at_ms = UsbLightDevice("light", kind), 0
    for state in states:
        for _ in range(data.draw(st.integers(1, 2))):
            at_ms += data.draw(st.integers(0, 2_000))
            for report in LOOKS_OF_KIND[kind].reports(LOOKS[state]):
                assert device.obey(report, at_ms)
            assert device.seen(at_ms) == looks_of(kind)[state]
    device.unplug()
    assert device.seen(at_ms) == OFF
