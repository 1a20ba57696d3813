"""The page on the model of the deal gives the parameters that the code has."""

import re
from pathlib import Path

import pytest

from shoe_bridge.table import deal_model
from shoe_bridge.table.deal_model import SENSOR_LEVELS, DealerModel, SensorModel

PAGE = Path(deal_model.__file__).with_suffix(".md").read_text()


@pytest.mark.parametrize(
    "name",
    [name for name in DealerModel.__struct_fields__ if not name.endswith("_ns")]
    + ["dead", "deaf", "unproven"],
)
def test_the_page_gives_each_parameter_as_the_code_has_it(name: str) -> None:
    (told,) = re.findall(rf"^\| `{name}`[^|]*\| ([0-9.]+) \|$", PAGE, re.MULTILINE)
    model = DealerModel() if name in DealerModel.__struct_fields__ else SensorModel()
    assert float(told) == getattr(model, name)


@pytest.mark.parametrize("level", list(SENSOR_LEVELS))
def test_the_page_gives_each_level_as_the_code_has_it(level: str) -> None:
    (told,) = re.findall(rf"^\| {level} \| (.+) \|$", PAGE, re.MULTILINE)
    sensor = SENSOR_LEVELS[level]  # type: ignore[index]
    assert [float(each) for each in told.split(" | ")] == [*sensor.missed, sensor.cross, sensor.ghost]
