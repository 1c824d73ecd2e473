"""A folder of Flent data files, unpacked from the service's archive."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from windtunnel.cli import report
from windtunnel.errors import RefusedError

_CAMPAIGN = "campaign.json"
_DATA_FILE = re.compile(r"cell[0-9]{4,}-seed[0-9]{4,}\.flent\.gz")


@contextmanager
def unpacked(folder: Path) -> Iterator[BinaryIO]:
    """A tar archive whose files are moved into the folder if the block succeeds.

    Data files of the same campaign that the archive lacks are removed. Raises RefusedError if the
    folder belongs to another campaign, or has data files and nothing that says of which.
    """
    if folder.exists() and not folder.is_dir():
        raise RefusedError("no_such_folder", f"-o {folder}: is not a folder")
    folder = folder.resolve()
    report.check_target(str(folder.parent / "file"), "-o")
    with TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as place:
        archive, files = Path(place, "archive.tar"), Path(place, "files")
        try:
            with archive.open("w+b") as file:
                yield file
            with tarfile.open(archive) as content:
                content.extractall(files, filter="data")
        except OSError as error:  # a full disk: the temporary name would say nothing
            raise OSError(error.errno or 0, error.strerror or str(error), str(folder)) from error
        _check_owner(folder, files)
        folder.mkdir(exist_ok=True)
        _move(files, folder)


def _move(files: Path, folder: Path) -> None:
    """campaign.json last: it is the old one until the data files are there."""
    names = {path.name for path in files.iterdir()}
    stale = [path for path in _data_files(folder) if path.name not in names]
    for path in stale:
        path.unlink()
    for name in sorted(names, key=lambda name: (name == _CAMPAIGN, name)):
        (files / name).replace(folder / name)


def _check_owner(folder: Path, files: Path) -> None:
    new, old = _campaign_of(files), _campaign_of(folder)
    if old is not None and old != new:
        message = f"-o {folder}: has the files of campaign {old}, not of {new}"
        raise RefusedError("folder_in_use", f"{message}; name another folder, or empty this one")
    if old is None and next(_data_files(folder), None) is not None:
        message = f"-o {folder}: has Flent data files, but no readable {_CAMPAIGN} says of which"
        raise RefusedError("folder_in_use", f"{message}; name another folder, or empty this one")


def _campaign_of(folder: Path) -> str | None:
    """The id in a folder's campaign.json; None without a readable one."""
    try:
        content = json.loads((folder / _CAMPAIGN).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    name = content.get("campaign") if isinstance(content, dict) else None
    return name if isinstance(name, str) else None


def _data_files(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (path for path in folder.iterdir() if _DATA_FILE.fullmatch(path.name))
