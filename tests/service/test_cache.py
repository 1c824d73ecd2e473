"""A cache file from one data folder to another: runs by identity, complete campaigns, damage."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from sqlalchemy import text

from tests.commands import start, windtunnel
from tests.conftest import new_data_folder, tiny_campaign
from windtunnel.cache_file import CacheWriter
from windtunnel.embedded.database import folder_database
from windtunnel.embedded.folders import Folders

TABLES = (
    *("simulator", "scenario", "run", "attempt", "metric", "series", "record_column"),
    *("run_check", "campaign", "cell", "campaign_run"),
)
SWEEP = {
    "sweep": {"offset": [1000, 1010]},
    "baseline": {"offset": 1000},
    "replications": 3,
    "delays": 2,
}


@pytest.fixture
def folders() -> Iterator[tuple[Folders, Folders]]:
    """Two data folders."""
    both = new_data_folder(), new_data_folder()
    yield both
    for folder in both:
        shutil.rmtree(folder.data)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.json"
    path.write_text(json.dumps(tiny_campaign("cached", **SWEEP)))
    return path


def content(folders: Folders) -> dict[str, list[Any]]:
    """All rows of the tables, without what is local."""
    local = (
        "'lease_owner', 'lease_until', 'charged_to', 'leased_at', 'idempotency_key', 'last_turn'"
    )
    other = "'installed', 'installed_at', 'seen_at'"
    with folder_database(folders, print) as database, database.transaction() as session:
        return {
            table: list(
                session.scalars(
                    text(
                        f"SELECT row::text FROM (SELECT to_jsonb({table}) - ARRAY[{local}, {other}]"
                        f" AS row FROM {table}) AS rows WHERE row->>'name' IS DISTINCT FROM 'ns3'"
                        " ORDER BY 1"
                    )
                )
            )
            for table in TABLES
        }


def run(folders: Folders, study: Path, *options: str) -> str:
    done = windtunnel("run", study, "--data", folders.data, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def save(folders: Folders, cache: Path, *options: str) -> str:
    done = windtunnel("cache", "save", cache, "--data", folders.data, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_restored_folder_has_the_same_rows_and_reuses_every_run(
    folders: tuple[Folders, Folders], study: Path, tmp_path: Path
) -> None:
    first, second = folders
    cache = tmp_path / "runs.cache"
    run(first, study, "--label", "branch=main")
    assert re.match(r"saved 6 runs and 1 campaign to .*runs\.cache \(", save(first, cache))
    restored = windtunnel("cache", "restore", cache, "--data", second.data)
    assert restored.stdout == f"restored 6 runs and 1 campaign from {cache}\n", restored.stderr
    assert content(first) == content(second)
    again = windtunnel("cache", "restore", cache, "--data", second.data)
    assert again.stdout.endswith(", 6 of them known\n")
    assert content(first) == content(second)

    wider = tmp_path / "wider.json"
    sweep = {**SWEEP, "sweep": {"offset": [1000, 1010, 1020]}}
    wider.write_text(json.dumps(tiny_campaign("cached", **sweep)))
    assert "6 reused" in run(second, wider, "--against", "label:branch=main")


@pytest.mark.long
def test_runs_that_wait_are_completed_by_a_restore(
    folders: tuple[Folders, Folders], study: Path, tmp_path: Path
) -> None:
    first, second = folders
    cache = tmp_path / "runs.cache"
    run(first, study)
    save(first, cache)
    slow = tmp_path / "slow.json"
    slow.write_text(json.dumps(tiny_campaign("other", **SWEEP)))
    run(second, slow)
    with folder_database(second, print) as database, database.transaction() as session:
        session.execute(text("UPDATE run SET state = 'failed', failure = 'timeout', digest = NULL"))
        session.execute(text("DELETE FROM metric"))
    restored = windtunnel("cache", "restore", cache, "--data", second.data)
    assert restored.returncode == 0, restored.stderr
    first_rows, second_rows = content(first), content(second)
    for table in ("run", "metric", "attempt"):
        assert first_rows[table] == second_rows[table]


@pytest.mark.long
def test_selection_by_labels_and_number(
    folders: tuple[Folders, Folders], study: Path, tmp_path: Path
) -> None:
    first, _ = folders
    run(first, study, "--label", "branch=main")
    other = tmp_path / "other.json"
    other.write_text(json.dumps(tiny_campaign("cached", offset=7)))
    run(first, other, "--label", "branch=fix")
    cache = tmp_path / "runs.cache"
    assert save(first, cache).startswith("saved 7 runs and 2 campaigns")
    assert save(first, cache, "--label", "branch=main").startswith("saved 6 runs and 1 campaign ")
    assert save(first, cache, "--newest", "1").startswith("saved 1 run and 1 campaign ")
    assert save(first, cache, "--label", "branch=x").startswith("saved 0 runs and 0 campaigns")


def test_a_damaged_file_restores_nothing(
    folders: tuple[Folders, Folders], study: Path, tmp_path: Path
) -> None:
    first, second = folders
    cache = tmp_path / "runs.cache"
    run(first, study)
    save(first, cache)
    whole = cache.read_bytes()
    lines = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(whole)).read().split(b"\n")[:-1]
    schema = json.loads(lines[0])["schema"]
    entries = [json.loads(line) for line in lines[1:-1]]

    def written(entries: list[Any], schema: str = schema) -> bytes:
        out = io.BytesIO()
        writer = CacheWriter(out, schema)
        for kind, fields in entries:
            writer.write(kind, fields)
        writer.close()
        return out.getvalue()

    def changed(kind: str, change: Any) -> bytes:
        copy = json.loads(json.dumps(entries))
        change(next(fields for name, fields in copy if name == kind))
        return written(copy)

    assert written(entries) == whole
    middle = len(whole) // 2
    damaged = {
        "it is empty or cut off": b"",
        "cut off": whole[:middle],
        "can't be decompressed": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        "is not a file of 'windtunnel cache save'": zstandard.compress(b'{"name": "x"}\n'),
        "does not have the digest": zstandard.compress(b"\n".join([*lines[:-2], lines[-1], b""])),
        "scenario": changed("scenario", lambda fields: fields["body"].update(offset=1)),
        "does not match its digests": changed("run", lambda f: f["run"].update(seed_index=9)),
        "lacks a field": changed("run", lambda fields: fields.pop("metrics")),
        "has a wrong one": changed("run", lambda f: f["metrics"][0].update(colour="red")),
        "unknown kind 'toy'": written([*entries, ["toy", {}]]),
    }
    for message, data in damaged.items():
        cache.write_bytes(data)
        refused = windtunnel("cache", "restore", cache, "--data", second.data)
        assert refused.returncode == 2, (message, refused.stdout, refused.stderr)
        assert message in refused.stderr
        assert refused.stderr.endswith("; nothing was restored\n"), refused.stderr
    cache.write_bytes(written(entries, "0001"))
    other = windtunnel("cache", "restore", cache, "--data", second.data)
    assert (other.returncode, other.stdout) == (0, "")
    assert "another version of windtunnel has saved it; nothing was restored" in other.stderr
    assert not any(content(second).values())


@pytest.mark.long
def test_other_records_under_the_same_identity_are_a_conflict(
    folders: tuple[Folders, Folders], study: Path, tmp_path: Path
) -> None:
    first, second = folders
    cache = tmp_path / "runs.cache"
    for folder in folders:
        run(folder, study)
    save(first, cache)
    with folder_database(second, print) as database, database.transaction() as session:
        session.execute(text("UPDATE run SET digest = repeat('0', 64)"))
    refused = windtunnel("cache", "restore", cache, "--data", second.data)
    assert refused.returncode == 2
    assert "has other records in the file than here" in refused.stderr


def test_a_running_service_and_a_missing_file_are_reported(
    folders: tuple[Folders, Folders], study: Path, tmp_path: Path
) -> None:
    first, _ = folders
    missing = windtunnel("cache", "restore", tmp_path / "none", "--data", first.data)
    assert (missing.returncode, missing.stderr) == (2, f"{tmp_path / 'none'}: no such file\n")
    folder = windtunnel("cache", "save", tmp_path / "none" / "x", "--data", first.data)
    assert (folder.returncode, "no such folder" in folder.stderr) == (2, True)
    slow = tmp_path / "slow.json"
    slow.write_text(json.dumps(tiny_campaign("slow", wall=60)))
    running = start("run", slow, "--data", first.data)
    try:
        assert running.stdout is not None
        assert running.stdout.readline()
        refused = windtunnel("cache", "save", tmp_path / "x.cache", "--data", first.data)
        assert refused.returncode == 3
        assert "a service is running on" in refused.stderr
    finally:
        running.terminate()
        running.wait()
