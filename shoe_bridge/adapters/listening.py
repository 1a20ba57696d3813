"""listen://HOST:PORT: a device that opens the connection itself, such as a FEIG reader that notifies.

HOST is the address of this host on the network of the readers. One far side at a time: whoever connects first
has the port until the connection ends, so readers belong on a network of their own.
"""

import errno
import socket
from collections.abc import Callable

from shoe_bridge.errors import PortError

ACCEPT_S = 10.0  # by then people are told that nobody has come
_TURN_S = 0.1


def accept_one(url: str, host: str, port: int, may_wait: Callable[[], bool]) -> socket.socket:
    """The connection of the first far side that comes. Raises PortError when none has come and `may_wait`,
    which is asked again and again, says no; or when this host cannot listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.create_server((host, port), family=family, backlog=1) as server:
            server.settimeout(_TURN_S)
            while True:
                try:
                    return server.accept()[0]
                except TimeoutError:
                    if not may_wait():
                        break
    except (OSError, UnicodeError) as error:
        raise PortError(_fault(url, error)) from error
    raise PortError(
        f"{url}: no device has connected yet; enter this address and port as the destination in the"
        " device, and switch its notification mode on."
    )


def _fault(url: str, error: BaseException) -> str:
    code = error.errno if isinstance(error, OSError) else None
    if code == errno.EADDRINUSE:
        return f"{url}: another program of this host listens there; give each device a port of its own."
    if code == errno.EADDRNOTAVAIL or not isinstance(error, OSError) or isinstance(error, socket.gaierror):
        return f"{url}: this host has no such address; write one of its own, or 0.0.0.0 for all of them."
    if code == errno.EACCES:
        return f"{url}: a port below 1024 is not allowed to a service; choose a higher one."
    return f"{url} cannot be listened at ({(error.strerror or str(error)).lower()}); check the address."
