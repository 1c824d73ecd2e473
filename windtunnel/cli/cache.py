"""``windtunnel cache``: finished runs carried from one data folder to another, by a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from windtunnel.cli import render, report
from windtunnel.cli.options import DataOption, WithLabelOption, print_err, print_out
from windtunnel.client.discovery import local_folders
from windtunnel.errors import OtherVersionError, RefusedError
from windtunnel.labels import parse_labels

app = typer.Typer(
    no_args_is_help=True,
    help="Carry finished runs from one data folder to another, between jobs of CI for example.",
)

CacheArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The cache file.")]


@app.command()
def save(
    file: CacheArgument,
    data: DataOption = None,
    label: WithLabelOption = None,
    newest: Annotated[
        int | None, typer.Option(min=1, help="Only the newest campaigns, this many.")
    ] = None,
) -> None:
    """Save runs that succeeded, and campaigns of which all did.

    With --label or --newest: only such campaigns, and only their runs. No service may be running on
    the data folder.
    """
    report.check_target(str(file), "FILE")
    labels, _ = parse_labels(label or (), "--label")
    folders = local_folders(data)
    from windtunnel.embedded.cache import save_cache
    from windtunnel.store.cache import Selection

    contents = save_cache(folders, file, Selection(labels, newest), print_err)
    size = render.size(file.stat().st_size)
    print_out(f"saved {_counted(contents.runs, contents.campaigns)} to {file} ({size})")


@app.command()
def restore(file: CacheArgument, data: DataOption = None) -> None:
    """Restore what was saved; a campaign then reuses these runs.

    All digests are checked first, and nothing is restored from a damaged file, nor from one of
    another version of windtunnel. No service may be running on the data folder.
    """
    if not file.is_file():
        raise RefusedError("no_such_file", f"{file}: no such file")
    folders = local_folders(data)
    from windtunnel.embedded.cache import restore_cache

    try:
        contents = restore_cache(folders, file, print_err)
    except OtherVersionError as error:  # as if there were no file: a job computes its runs again
        print_err(f"{file}: {error}; nothing was restored")
        return
    known = f", {contents.known} of them known" if contents.known else ""
    print_out(f"restored {_counted(contents.runs, contents.campaigns)} from {file}{known}")


def _counted(runs: int, campaigns: int) -> str:
    return f"{render.counted(runs, 'run')} and {render.counted(campaigns, 'campaign')}"
