"""The event contract as JSON Schema, derived from the types that the feed sends."""

from typing import Any

import msgspec

from shoe_bridge.feed.events import SCHEMA_VERSION, AnyFeedEvent


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of one event of the feed: one branch per type, told apart by `type`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"shoe-bridge feed event, version {SCHEMA_VERSION}",
        **msgspec.json.schema(AnyFeedEvent),
    }
