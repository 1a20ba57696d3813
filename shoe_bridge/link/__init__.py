"""Per device and sans-IO: bytes to messages to observations."""
