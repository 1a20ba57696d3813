"""Wire formats: bytes of the devices, and nothing of ours."""
