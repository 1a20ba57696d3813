"""Devices that speak real bytes, the faults they can show, and scenarios to play on them."""
