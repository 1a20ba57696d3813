"""shoe-bridge: follows the deal at a poker table from its card readers."""

__version__ = "0.1.0"
