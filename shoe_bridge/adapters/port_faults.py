"""Why a port could not be opened, as one sentence with the fix."""

import difflib
import errno
import glob
import grp
import os
import re
import socket
import stat
from pathlib import Path

_NEAR = ("dev/shoe-bridge/*", "dev/serial/by-id/*", "dev/ttyUSB*", "dev/ttyACM*", "dev/ttyAMA*")
_MAX_NEAR = 4
_NO_HARDWARE = (errno.ENXIO, errno.ENODEV, errno.EIO)
# what serial servers print before they hang up on a second client
_REFUSAL = re.compile(rb"in use|busy|already|max(imum)? .*connections?", re.IGNORECASE)
_LONGEST_REFUSAL = 80  # bytes
_NOT_REACHED = (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.ENETDOWN)


def not_a_port(path: str, root: Path = Path("/")) -> str | None:
    """What is wrong with `path` before it is opened: missing, or no serial port. None when plausible."""
    try:
        mode = os.stat(path).st_mode
    except PermissionError:
        return f"{path}: a folder on the way to this port may not be entered; {permission_fix(path)}."
    except (OSError, ValueError):
        return _missing(path, root)
    if stat.S_ISCHR(mode):
        return None
    what = (
        "a folder"
        if stat.S_ISDIR(mode)
        else "a regular file"
        if stat.S_ISREG(mode)
        else "not a character device"
    )
    return f"{path} is {what} and no serial port; {_offer(near_ports(path, root))}."


def local_fault(path: str, error: BaseException, root: Path = Path("/")) -> str:
    """One sentence for what opening the existing character device `path` answered."""
    code = _code(error)
    if code in (errno.EACCES, errno.EPERM):
        return f"{path}: this user may not open the port; {permission_fix(path)}."
    if code in (errno.EBUSY, errno.EAGAIN):
        holder = " and ".join(holders(path, root)) or "another program"
        return f"{path} is in use by {holder}; stop that program, or name another port."
    if code in (errno.ENOENT, errno.ENOTDIR):
        return _missing(path, root)
    if code == errno.ENOTTY:
        return f"{path} is a device but no serial port; {_offer(near_ports(path, root))}."
    if code in _NO_HARDWARE:
        return f"{path} has no hardware behind it; plug the device in again, or name another port."
    return f"{path} cannot be opened ({_reason(error)}); plug the device in again, or name another port."


def remote_fault(url: str, error: BaseException) -> str:
    """One sentence for why the serial server at `url` was not reached."""
    root = _root_error(error)
    if isinstance(root, ConnectionRefusedError):
        return (
            f"{url}: the host refuses this port number; start its serial server, correct the number, or end"
            " the program that it serves already where it serves one at a time."
        )
    if isinstance(root, ConnectionError):
        return taken_fault(url)
    if isinstance(root, socket.gaierror | UnicodeError):
        return f"{url}: no host of that name is known; correct the name, or give its address."
    if isinstance(root, TimeoutError) or _code(root) == errno.ETIMEDOUT:
        return f"{url}: the host did not answer; switch the serial server on, or correct its address."
    if _code(root) in _NOT_REACHED:
        return (
            f"{url}: the host cannot be reached from here; check the network cable, or correct its address."
        )
    if "RFC2217" in str(root) or "BINARY" in str(root):
        return (
            f"{url}: the host takes the connection and does not answer in RFC 2217; end the program that its"
            " serial server serves already if it serves one at a time (a second one is kept waiting), or use"
            " socket:// if it sends plain bytes."
        )
    return f"{url} cannot be opened ({_reason(root)}); check the serial server and its address."


def taken_fault(url: str) -> str:
    """One sentence for a serial server at `url` that hung up while it was opened."""
    return (
        f"{url}: the serial server hung up at once; it probably serves another program and takes one at a"
        " time: end that program, or allow a second connection in the server."
    )


def is_at_server(url: str) -> bool:
    """Whether a serial server may stand between the port and its device."""
    return url.startswith(("socket://", "rfc2217://"))


def kept_waiting(url: str) -> str:
    """The end of a sentence about a device at `url` that says nothing: what else it may be. Many serial
    servers let a second program connect, and keep it waiting until the first one ends."""
    if not is_at_server(url):
        return ""
    return (
        "; or its serial server serves another program and keeps this one waiting: end that program, or "
        "allow a second connection in it"
    )


def hung_up_phrase(heard: bytes) -> str | None:
    """Why a serial server ended a connection over which no more than `heard` ever came: many serve one
    program and hang up on the next, with or without a word. None where what came was a device's."""
    if heard and not (len(heard) <= _LONGEST_REFUSAL and _REFUSAL.search(heard)):
        return None
    return "its serial server hung up at once, it probably serves another program and takes one at a time"


def near_ports(path: str, root: Path = Path("/")) -> list[str]:
    """Serial ports that do exist, those with the most similar path first."""
    folder = os.path.dirname(path) or "."
    found = {name for pattern in _NEAR for name in glob.glob(str(root / pattern))}
    found.update(name for name in glob.glob(os.path.join(glob.escape(folder), "*")) if _alike(name, path))
    found.discard(path)
    ports = [name for name in found if _is_char_device(name)]
    ports.sort(key=lambda name: (-difflib.SequenceMatcher(None, name, path).ratio(), name))
    return ports[:_MAX_NEAR]


def permission_fix(path: str) -> str:
    """The command that lets this user open `path`, by the port's real group and mode."""
    try:
        state = os.stat(path)
    except OSError:
        return f"run: sudo chmod a+x {os.path.dirname(path) or '.'}"
    try:
        group = grp.getgrgid(state.st_gid).gr_name
    except KeyError:
        group = str(state.st_gid)
    if state.st_gid == 0 or state.st_mode & 0o060 != 0o060:
        return f"run: sudo chgrp dialout {path} && sudo chmod g+rw {path}"
    return f"run: sudo usermod -aG {group} $USER, then log out and in again"


def holders(path: str, root: Path = Path("/")) -> list[str]:
    """Who has `path` open, as `name (pid N)`. Of processes of other users only root sees what they have open,
    and everybody which lock they hold: a bridge locks its ports."""
    target = os.path.realpath(path)
    found = []
    for link in glob.iglob(str(root / "proc/[0-9]*/fd/*")):
        try:
            is_held = os.readlink(link) == target
        except OSError:  # the process or its fd went away meanwhile
            continue
        if is_held:
            found.append(Path(link).parent.parent.name)
    found += _lockers(target, root)
    return [f"{_process_name(root / 'proc' / pid)} (pid {pid})" for pid in dict.fromkeys(found)]


def _lockers(target: str, root: Path) -> list[str]:
    """The processes that hold a lock on a file, by /proc/locks (proc(5)): its fifth field is the number of
    the process, the sixth the device (two hex numbers) and the inode of the file."""
    try:
        state = os.stat(target)
        lines = (root / "proc/locks").read_text().splitlines()
    except OSError:
        return []
    name = f"{os.major(state.st_dev):02x}:{os.minor(state.st_dev):02x}:{state.st_ino}"
    fields = [line.split() for line in lines]
    return [each[4] for each in fields if len(each) > 5 and each[5] == name and each[4].isdecimal()]


def _missing(path: str, root: Path) -> str:
    return f"{path} does not exist; {_offer(near_ports(path, root))}."


def _offer(ports: list[str]) -> str:
    if ports:
        return f"plug the device in, or use one of the ports that are there: {', '.join(ports)}"
    return "no serial port is there now: plug the device in"


def _alike(name: str, path: str) -> bool:
    return os.path.basename(name).rstrip("0123456789") == os.path.basename(path).rstrip("0123456789")


def _is_char_device(name: str) -> bool:
    try:
        return stat.S_ISCHR(os.stat(name).st_mode)
    except OSError:
        return False


def _process_name(process: Path) -> str:
    try:
        return (process / "comm").read_text().strip() or "a process"
    except OSError:
        return "a process"


def _root_error(error: BaseException) -> BaseException:
    """pyserial wraps the system's error in its own text and keeps the original only as the context."""
    seen = error
    while seen.__cause__ is not None or seen.__context__ is not None:
        seen = seen.__cause__ or seen.__context__ or seen
    return seen


def _code(error: BaseException) -> int | None:
    """The errno, also of termios.error, which is not an OSError, and of what pyserial wrapped."""
    for one in (error, _root_error(error)):
        if isinstance(one, OSError) and one.errno is not None:
            return one.errno
        if one.args and isinstance(one.args[0], int):
            return one.args[0]
    return None


def _reason(error: BaseException) -> str:
    code = _code(error)
    return os.strerror(code).lower() if code is not None else str(error).strip() or type(error).__name__
