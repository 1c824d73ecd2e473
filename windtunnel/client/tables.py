"""Tables of campaigns as data frames, cached on this machine until they change."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.client.http import HttpClient
from windtunnel.errors import UnavailableError, WindtunnelError
from windtunnel.exports.columns import axis_columns, free_name

if TYPE_CHECKING:
    import pandas as pd

MAX_CACHE_BYTES = 4 * 2**30
_UNFINISHED = "download-"
_DAY = 24 * 3600


class TableCache:
    """Parquet files of exported tables, each with its ETag in its name.

    A table is asked for with the ETag of the cached file, so that one that has not changed costs
    one request. The files used last are kept, up to MAX_CACHE_BYTES in total.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or default_folder()

    def read(
        self, http: HttpClient, campaign_id: str, what: str, asked: Mapping[str, Sequence[str]]
    ) -> pd.DataFrame:
        """A campaign's table. ``attrs["windtunnel"]`` is the file's own account of itself.

        Raises RefusedError or SpecError if the service refuses, UnavailableError if it does not
        answer or pandas is missing.
        """
        require_pandas()
        params = {"what": what, **asked}
        try:
            return _frame(self._fetch(http, campaign_id, params))
        except (FileNotFoundError, UnreadableTableError):
            # Another process has replaced the cached file, or it is damaged.
            return _frame(self._fetch(http, campaign_id, params, use_cached=False))

    def _fetch(
        self,
        http: HttpClient,
        campaign_id: str,
        params: Mapping[str, Any],
        use_cached: bool = True,
    ) -> Path:
        """The file of a table, downloaded if it is not cached or has changed."""
        key = _digest(json.dumps([http.server, campaign_id, params], sort_keys=True))
        self._create()
        known = self._folder.glob(f"{key}-*.parquet")
        cached = {path.stem.partition("-")[2]: path for path in known} if use_cached else {}
        descriptor, name = tempfile.mkstemp(dir=self._folder, prefix=_UNFINISHED)
        unfinished = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                downloaded = http.download(
                    f"/campaigns/{campaign_id}/export",
                    {"format": "parquet", **params},
                    file,
                    cached,
                )
                size = file.tell()
            etag = downloaded.get("etag", "").removeprefix("W/").strip('"')
            if not size and etag in cached:
                os.utime(cached[etag])
                return cached[etag]
            # Without an ETag it can't be told whether a later table is the same.
            path = self._folder / f"{key}-{etag or 'unknown'}.parquet"
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
        for outdated in cached.values():
            if outdated != path:
                outdated.unlink(missing_ok=True)
        self._limit(path)
        return path

    def _create(self) -> None:
        """Make the folder. Raises UnavailableError if it can't be written."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not os.access(self._folder, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            message = f"tables can't be cached in {self._folder}: {reason}; use Client(cache=...)"
            raise UnavailableError(message) from error

    def _limit(self, newest: Path) -> None:
        """Remove the files that were used longest ago until the others fit, and abandoned ones."""
        files = []
        for path in self._folder.iterdir():
            with suppress(FileNotFoundError):  # another process removes files too
                stat = path.stat()
                if path.suffix == ".parquet":
                    files.append((stat.st_mtime, stat.st_size, path))
                elif path.name.startswith(_UNFINISHED) and time.time() - stat.st_mtime > _DAY:
                    path.unlink(missing_ok=True)
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= MAX_CACHE_BYTES:
                return
            if path != newest:
                path.unlink(missing_ok=True)
                total -= size


class UnreadableTableError(WindtunnelError):
    """A cached file is not a table."""


def default_folder() -> Path:
    """``windtunnel`` in XDG_CACHE_HOME, which is ``~/.cache`` unless set."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "windtunnel"


def with_coordinates(
    cells: Sequence[Mapping[str, Any]], taken: Collection[str]
) -> Iterator[tuple[Mapping[str, Any], dict[str, Any]]]:
    """Each cell of an answer of the API, with its coordinates typed as in exported tables.

    ``cells`` are all that the campaign has. An axis with the name of a column in ``taken`` has the
    suffix ``_axis``, as in exported tables.
    """
    axes = [
        {"name": name, "labels": list(dict.fromkeys(cell["coordinates"][name] for cell in cells))}
        for name in (cells[0]["coordinates"] if cells else ())
    ]
    columns = axis_columns(axes)
    for cell in cells:
        typed: dict[str, Any] = {}
        for axis, column in zip(axes, columns, strict=True):
            place = axis["labels"].index(cell["coordinates"][axis["name"]])
            name = free_name(column.column.name, taken, "_axis")
            typed[name] = column.values[place]
            if column.unit:
                typed[f"{name}_unit"] = column.column.unit
        yield cell, typed


def data_frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as a data frame. Raises UnavailableError if pandas is missing."""
    require_pandas()
    import pandas as pd

    return pd.DataFrame.from_records([dict(row) for row in rows])


def require_pandas() -> None:
    """Raise UnavailableError unless what data frames need is installed."""
    for library in ("pandas", "pyarrow"):
        if find_spec(library) is None:
            message = f"data frames need windtunnel[notebook] ({library} is missing): "
            raise UnavailableError(f"{message}pip install 'windtunnel[notebook]'")


def _frame(path: Path) -> pd.DataFrame:
    """The table in a file, with the file's account of itself: campaign, completeness, version."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # pyarrow's threads may abort a script that ends right after it has read a file.
        frame = pd.read_parquet(path, use_threads=False, pre_buffer=False)
        frame.attrs["windtunnel"] = json.loads(pq.read_schema(path).metadata[b"windtunnel"])
    except (pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise UnreadableTableError(f"{path} is damaged: {error}") from error
    return frame


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
