"""Tables of campaigns as data frames, cached on this machine until they change."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.client.http import HttpClient
from windtunnel.errors import UnavailableError
from windtunnel.exports.columns import axis_columns

if TYPE_CHECKING:
    import pandas as pd

MAX_CACHE_BYTES = 4 * 2**30


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
        import pandas as pd

        path = self._fetch(http, campaign_id, {"what": what, **asked})
        frame = pd.read_parquet(path)
        frame.attrs["windtunnel"] = _contents(path)
        return frame

    def _fetch(self, http: HttpClient, campaign_id: str, params: Mapping[str, Any]) -> Path:
        """The file of a table, downloaded if it is not cached or has changed."""
        key = _digest(json.dumps([http.server, campaign_id, params], sort_keys=True))
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        cached = {path.stem.partition("-")[2]: path for path in self._folder.glob(f"{key}-*")}
        descriptor, name = tempfile.mkstemp(dir=self._folder, prefix="download-")
        unfinished = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                headers = http.download(
                    f"/campaigns/{campaign_id}/export",
                    {"format": "parquet", **params},
                    file,
                    cached,
                )
            etag = headers.get("etag", "").removeprefix("W/").strip('"')
            path = self._folder / f"{key}-{etag}.parquet"
            if etag in cached:
                os.utime(path)
                return path
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
        for outdated in cached.values():
            outdated.unlink(missing_ok=True)
        self._limit(path)
        return path

    def _limit(self, newest: Path) -> None:
        """Remove the files that were used longest ago until the others fit."""
        files = [(path.stat(), path) for path in self._folder.glob("*.parquet")]
        total = sum(stat.st_size for stat, _ in files)
        for stat, path in sorted(files, key=lambda entry: entry[0].st_mtime):
            if total <= MAX_CACHE_BYTES:
                return
            if path != newest:
                path.unlink(missing_ok=True)
                total -= stat.st_size


def default_folder() -> Path:
    """``windtunnel`` in XDG_CACHE_HOME, which is ``~/.cache`` unless set."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "windtunnel"


def with_coordinates(
    cells: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[Mapping[str, Any], dict[str, Any]]]:
    """Each cell of an answer of the API, with its coordinates typed as in exported tables."""
    axes = [
        {"name": name, "labels": list(dict.fromkeys(cell["coordinates"][name] for cell in cells))}
        for name in (cells[0]["coordinates"] if cells else ())
    ]
    columns = axis_columns(axes)
    for cell in cells:
        typed: dict[str, Any] = {}
        for axis, column in zip(axes, columns, strict=True):
            place = axis["labels"].index(cell["coordinates"][axis["name"]])
            typed[column.column.name] = column.values[place]
            if column.unit:
                typed[column.unit.name] = column.column.unit
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


def _contents(path: Path) -> dict[str, Any]:
    """What the file says about itself: campaign, completeness, version."""
    import pyarrow.parquet as pq

    metadata = pq.read_schema(path).metadata
    contents: dict[str, Any] = json.loads(metadata[b"windtunnel"])
    return contents


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
