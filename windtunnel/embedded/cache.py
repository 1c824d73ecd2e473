"""Cache files of a data folder."""

from __future__ import annotations

from pathlib import Path

from windtunnel.cache_file import CacheWriter, read_cache
from windtunnel.embedded.database import folder_database
from windtunnel.embedded.folders import Folders
from windtunnel.embedded.progress import MessageCallback
from windtunnel.errors import DamagedFileError
from windtunnel.store import cache
from windtunnel.store.cache import Contents, Selection


def save_cache(
    folders: Folders, file: Path, selection: Selection, on_message: MessageCallback
) -> Contents:
    """Write a cache file; an existing one stays until the new one is complete."""
    partial = file.with_name(f"{file.name}.partial")
    with folder_database(folders, on_message) as database:
        try:
            with partial.open("wb") as out, database.transaction() as session:
                writer = CacheWriter(out, cache.schema_version(session))
                contents = cache.save(session, writer, selection)
                writer.close()
            partial.rename(file)
        finally:
            partial.unlink(missing_ok=True)
    return contents


def restore_cache(folders: Folders, file: Path, on_message: MessageCallback) -> Contents:
    """Add the content of a cache file, in one transaction.

    Raises DamagedFileError, OtherVersionError or ConflictError; then nothing is restored.
    """
    with (
        file.open("rb") as source,
        folder_database(folders, on_message) as database,
        database.transaction() as session,
    ):
        try:
            return cache.restore(session, read_cache(source, cache.schema_version(session)))
        except DamagedFileError as error:
            raise DamagedFileError(f"{file}: {error}; nothing was restored") from error
