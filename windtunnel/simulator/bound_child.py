"""Commands whose process is killed when its parent dies.

The kernel's parent-death signal has to be set in the child, between fork and exec. Python's
``preexec_fn`` does that, but it may deadlock in a process with threads, and it copies the parent's
page tables: 6.5 ms from a 100 MB process. Here the child sets it up itself by executing ``setpriv``
and ``sh`` before the program: 2.6 ms in all, of which 0.9 ms are the start of any program.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

from windtunnel.errors import UnavailableError

# The signal is not sent for a parent that died before it was set, so the shell checks afterwards.
_CHECK = '[ "$PPID" = "$1" ] || exit 1; shift; '


def bound_command(
    command: Sequence[str],
    death_signal: signal.Signals = signal.SIGKILL,
    ulimits: Sequence[str] = (),
    setpriv_options: Sequence[str] = (),
) -> list[str]:
    """The command to start instead of ``command``; its process keeps pid and process group.

    The process gets ``death_signal`` when the thread that started it exits: start it from a thread
    that lives as long as it is needed. ``ulimits`` are arguments of the shell's ulimit.

    Raises OSError if the program is missing or not executable, since only an exit code would tell
    afterwards, and UnavailableError without setpriv.
    """
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise UnavailableError("setpriv is missing; to install it: apt-get install util-linux")
    _check_program(command[0])
    limits = "".join(f"ulimit {limit} && " for limit in ulimits)
    return [
        *(setpriv, *setpriv_options, "--pdeathsig", death_signal.name.removeprefix("SIG")),
        *("/bin/sh", "-c", f'{_CHECK}{limits}exec "$@"', "sh", str(os.getpid()), *command),
    ]


def _check_program(name: str) -> None:
    program = shutil.which(name)
    if program is None:
        code = errno.EACCES if Path(name).exists() else errno.ENOENT
        raise OSError(code, os.strerror(code), name)
    with Path(program).open("rb") as file:
        beginning = file.read(4)
    # The shell would interpret any other file as a script.
    if beginning != b"\x7fELF" and not beginning.startswith(b"#!"):
        raise OSError(errno.ENOEXEC, os.strerror(errno.ENOEXEC), name)
