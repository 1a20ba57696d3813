"""`python -m shoe_bridge` is `shoe-bridge`."""

from shoe_bridge.cli import main

main()
