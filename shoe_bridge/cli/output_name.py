"""Which file the standard output of this process is, so that an error in it can name it."""

import os
import stat


def output_name() -> str | None:
    """Its path; None where it is no file, or the system does not tell."""
    try:
        if not stat.S_ISREG(os.fstat(1).st_mode):
            return None
        return os.readlink("/proc/self/fd/1")
    except OSError:
        return None
