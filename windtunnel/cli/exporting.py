"""``windtunnel export``: a campaign's results as a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from windtunnel.cli import render, report
from windtunnel.cli.flent_folder import unpacked
from windtunnel.cli.options import (
    CampaignArgument,
    DataOption,
    ServerOption,
    err,
    print_err,
    report_problems,
)
from windtunnel.client.discovery import connect
from windtunnel.client.http import ByteSink
from windtunnel.errors import RefusedError
from windtunnel.targets import replacing

app = typer.Typer()

_STEP_BYTES = 2**20  # between two updates of the progress


@app.command()
def export(
    campaign: CampaignArgument,
    file_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="csv, parquet, json, markdown, latex or flent; default: by the file's suffix, "
            "csv without -o.",
        ),
    ] = None,
    what: Annotated[
        str | None,
        typer.Option(
            "--what",
            help="runs (default), comparison, flows, series or packet-delays. Markdown and LaTeX "
            "hold comparisons only.",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="Only this metric; repeat for several; default: all."),
    ] = None,
    series: Annotated[
        list[str] | None,
        typer.Option("--series", help="Only this series; repeat for several; default: all."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", help="File to write, a folder for flent; - is stdout."),
    ] = None,
    server: ServerOption = None,
    data: DataOption = None,
) -> None:
    """Export results as CSV, Parquet, JSON, Markdown, LaTeX or Flent data files.

    Text goes to stdout without -o. A file is complete or not there at all.
    """
    from windtunnel.exports.request import FileFormat, format_of_file, read_request

    with report_problems(None):
        if file_format is None and output not in (None, report.STDOUT):
            file_format = format_of_file(output)
        request = read_request(file_format, what, metric or (), series or (), prefix="--")
    target = output or report.STDOUT
    if target == report.STDOUT:
        _check_stdout(request.format, output, is_text=request.info.is_text)
    asked: dict[str, Any] = {"format": request.format.value, "what": request.table.value}
    asked |= {"metric": list(request.metrics)} if request.metrics else {}
    asked |= {"series": list(request.series)} if request.series else {}
    is_folder = request.format == FileFormat.FLENT and target != report.STDOUT
    opened = unpacked(Path(target)) if is_folder else _target(target)
    with (
        connect(server, data) as client,
        report_problems(None),
        opened as file,
        _progress(file) as sink,
    ):
        headers = client.download(f"/campaigns/{campaign}/export", asked, sink)
    if target != report.STDOUT:
        print_err(f"wrote {target} ({render.size(sink.size)})")
    if note := headers.get("Windtunnel-Note"):
        print_err(note)


def _check_stdout(file_format: str, output: str | None, is_text: bool) -> None:
    """Refuse to write bytes where text is expected. Raises RefusedError."""
    if is_text:
        return
    if output is None:
        message = f"a {file_format} file is not text: name a file with -o, or - for a pipe"
        raise RefusedError("invalid_request", message)
    if sys.stdout.isatty():
        message = f"a {file_format} file is not text and stdout is a terminal: name a file with -o"
        raise RefusedError("invalid_request", message)


@contextmanager
def _target(target: str) -> Iterator[ByteSink]:
    """A file that is renamed to the target if the block succeeds; ``-`` is stdout."""
    if target == report.STDOUT:
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:  # of `| head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit from None
        return
    report.check_target(target, "-o")
    with replacing(target) as file:
        yield file


@contextmanager
def _progress(file: ByteSink) -> Iterator[_Counted]:
    """The file, counting its bytes; on a terminal, on a line that disappears."""
    if not err.is_terminal or file is sys.stdout.buffer:
        yield _Counted(file)
        return
    with err.status("exporting") as status:
        yield _Counted(file, lambda size: status.update(f"exporting, {render.size(size)}"))


class _Counted:
    """A file that counts its bytes and reports them now and then."""

    def __init__(self, file: ByteSink, on_growth: Callable[[int], None] | None = None) -> None:
        self._file = file
        self._on_growth = on_growth
        self.size = 0

    def write(self, data: bytes, /) -> int:
        before = self.size // _STEP_BYTES
        self.size += len(data)
        if self._on_growth and self.size // _STEP_BYTES > before:
            self._on_growth(self.size)
        return self._file.write(data)
