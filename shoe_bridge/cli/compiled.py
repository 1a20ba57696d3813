"""Whether this build runs the table compiled (`sh .ci/setup compiled`) or interpreted."""

from importlib.util import find_spec


def build_name() -> str:
    """`compiled` or `interpreted`."""
    spec = find_spec("shoe_bridge.table.reconstruct")
    is_source = spec is None or spec.origin is None or spec.origin.endswith(".py")
    return "interpreted" if is_source else "compiled"
