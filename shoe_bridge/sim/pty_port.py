"""One pty as the port of a simulated device, which one host after the other may open."""

import errno
import fcntl
import os
import select
import termios
import tty

READ_BYTES = 4096


class PtyPort:
    """One pty pair. The far side opens `path`; only the near end is held open here, so that it shows whether
    anybody is there."""

    def __init__(self) -> None:
        self.near, far = os.openpty()
        self.path = os.ttyname(far)
        tty.setraw(far)
        self._first_settings = termios.tcgetattr(far)
        os.close(far)
        self._leavings = select.epoll()  # edge-triggered: also of a host that came and went between two looks
        self._leavings.register(self.near, select.EPOLLIN | select.EPOLLET)
        self.has_been_left()
        os.set_blocking(self.near, False)
        self._poll = select.poll()
        self._poll.register(self.near, select.POLLIN)

    def is_opened(self) -> bool:
        """Whether a host has the far end open."""
        return not any(event & select.POLLHUP for _, event in self._poll.poll(0))

    def has_been_left(self) -> bool:
        """Whether a host that had the far end open has gone since the last call, and no other one came."""
        return any(event & select.EPOLLHUP for _, event in self._leavings.poll(0))

    @property
    def waits(self) -> int:
        """What `select` may wait for: readable once there may be something new at the port."""
        return self._leavings.fileno()

    def make_ready(self) -> bool:
        """Make the far end as new for the next host: settings that one host leaves refuse another (a second
        demand for parity, which no pty has, is an invalid argument). False where that host has locked the
        pty for good (TIOCEXCL), so that another one has to take its place."""
        try:
            far = os.open(self.path, os.O_RDWR | os.O_NOCTTY)
        except OSError as error:
            if error.errno == errno.EBUSY:
                return False
            raise
        try:
            fcntl.ioctl(far, termios.TIOCNXCL)
            termios.tcflush(far, termios.TCIFLUSH)  # what the last host did not read is not for the next
            termios.tcsetattr(far, termios.TCSANOW, self._first_settings)
        except (OSError, termios.error):  # then it is as with a real adapter: the next host sets it anew
            pass
        finally:
            os.close(far)
            self.has_been_left()  # this was no host
        return True

    def read(self) -> bytes:
        try:
            return os.read(self.near, READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno == errno.EIO:  # the host has closed its end
                return b""
            raise

    def write(self, data: bytes) -> int:
        """Write what the line takes; gives how many bytes it took."""
        try:
            return os.write(self.near, data)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EIO):
                return 0
            raise

    def close(self) -> None:
        self._leavings.close()
        os.close(self.near)
