"""Flent's folder: one campaign's files, none of an earlier export."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import BinaryIO

import pytest

from windtunnel.cli.flent_folder import unpacked
from windtunnel.errors import RefusedError


def archive(campaign: str, *cells: int) -> bytes:
    """An archive as the service sends it."""
    sink = io.BytesIO()
    contents = {"campaign.json": json.dumps({"campaign": campaign}).encode()}
    contents |= {f"cell{cell:04d}-seed0001.flent.gz": campaign.encode() for cell in cells}
    with tarfile.open(fileobj=sink, mode="w") as file:
        for name, content in contents.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            file.addfile(entry, io.BytesIO(content))
    return sink.getvalue()


def export(folder: Path, campaign: str, *cells: int) -> None:
    with unpacked(folder) as file:
        file.write(archive(campaign, *cells))


def fail_after(file: BinaryIO, data: bytes) -> None:
    file.write(data)
    raise KeyError


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_folder_of_another_campaign_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "flent"
    export(folder, "aa", 0, 1, 2)
    before = contents(folder)
    with pytest.raises(RefusedError, match="has the files of campaign aa, not of bb; name another"):
        export(folder, "bb", 0)
    assert contents(folder) == before
    assert [path.name for path in tmp_path.iterdir()] == ["flent"]


def test_a_second_export_removes_what_the_archive_lacks(tmp_path: Path) -> None:
    folder = tmp_path / "flent"
    export(folder, "aa", 0, 1, 2)
    for name in ("notes.txt", "cell0001.flent.gz", "my-cell0001-seed0001.flent.gz"):
        (folder / name).write_text("mine")
    export(folder, "aa", 0, 2, 3)
    files = {f"cell{cell:04d}-seed0001.flent.gz" for cell in (0, 2, 3)}
    mine = {"notes.txt", "cell0001.flent.gz", "my-cell0001-seed0001.flent.gz"}
    assert set(contents(folder)) == {"campaign.json"} | files | mine


def test_data_files_of_an_unknown_campaign_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "flent"
    export(folder, "aa", 0, 1)
    (folder / "campaign.json").write_text("{")
    with pytest.raises(RefusedError, match=r"no readable campaign\.json says of which"):
        export(folder, "aa", 0)
    assert len(contents(folder)) == 3


def test_a_failed_export_changes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "flent"
    export(folder, "aa", 0, 1)
    before = contents(folder)
    with pytest.raises(KeyError), unpacked(folder) as file:
        fail_after(file, archive("aa", 7)[:600])
    assert contents(folder) == before
    link = tmp_path / "link"
    link.symlink_to("flent")
    export(link, "aa", 5)
    assert sorted(contents(folder)) == ["campaign.json", "cell0005-seed0001.flent.gz"]
