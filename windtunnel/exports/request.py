"""What can be exported, and in which formats."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import TypeVar

from windtunnel.errors import InvalidRequestError, Problem, quoted

Choice = TypeVar("Choice", bound=StrEnum)


class Table(StrEnum):
    RUNS = "runs"
    COMPARISON = "comparison"
    FLOWS = "flows"
    SERIES = "series"
    PACKET_DELAYS = "packet-delays"


class FileFormat(StrEnum):
    CSV = "csv"
    PARQUET = "parquet"
    JSON = "json"
    MARKDOWN = "markdown"
    LATEX = "latex"
    FLENT = "flent"


@dataclass(frozen=True)
class FormatInfo:
    """``tables`` are those that it can hold, its default first. ``is_text``: fit for a terminal.

    A file name ends with one of ``suffixes``, the first unless it is given.
    """

    suffixes: tuple[str, ...]
    media_type: str
    is_text: bool
    tables: tuple[Table, ...]


_ALL = tuple(Table)
FORMATS = {
    FileFormat.CSV: FormatInfo((".csv",), "text/csv; charset=utf-8", True, _ALL),
    FileFormat.PARQUET: FormatInfo((".parquet",), "application/vnd.apache.parquet", False, _ALL),
    FileFormat.JSON: FormatInfo((".json",), "application/json", True, _ALL),
    FileFormat.MARKDOWN: FormatInfo(
        (".md", ".markdown"), "text/markdown; charset=utf-8", True, (Table.COMPARISON,)
    ),
    FileFormat.LATEX: FormatInfo((".tex",), "application/x-tex", True, (Table.COMPARISON,)),
    FileFormat.FLENT: FormatInfo((".tar",), "application/x-tar", False, (Table.SERIES,)),
}
# Tables whose rows belong to metrics, which can be chosen.
_OF_METRICS = (Table.RUNS, Table.COMPARISON)


@dataclass(frozen=True)
class ExportRequest:
    """``metrics`` and ``series`` are names; all if empty."""

    format: FileFormat
    table: Table
    metrics: tuple[str, ...] = ()
    series: tuple[str, ...] = ()

    @property
    def info(self) -> FormatInfo:
        return FORMATS[self.format]

    def file_name(self, campaign: str) -> str:
        """A name for the file, from the campaign's name."""
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", campaign).strip("-.") or "campaign"
        kind = "flent" if self.format is FileFormat.FLENT else self.table
        return f"{name}-{kind}{self.info.suffixes[0]}"


def format_of_file(name: str) -> FileFormat:
    """The format of which a file name has the suffix. Raises InvalidRequestError for none.

    Devices and pipes without a suffix, such as ``/dev/stdout``, get CSV.
    """
    for kind, info in FORMATS.items():
        if name.lower().endswith(info.suffixes) and kind is not FileFormat.FLENT:
            return kind
    path = PurePath(name)
    if not path.suffix and path.parts[:2] in (("/", "dev"), ("/", "proc")):
        return FileFormat.CSV
    suffix = quoted("".join(path.suffixes[-2:])) if path.suffix else "a name without a suffix"
    known = ", ".join(info.suffixes[0] for info in FORMATS.values() if info.suffixes != (".tar",))
    message = f"{suffix} is not a format of exports; use {known}, or name --format: {name}"
    raise InvalidRequestError([Problem("output", message)])


def read_request(
    file_format: str | None,
    what: str | None,
    metrics: Sequence[str] = (),
    series: Sequence[str] = (),
    prefix: str = "",
) -> ExportRequest:
    """What is asked for by these words. Default: CSV, and the format's default table.

    Raises InvalidRequestError about fields whose names begin with ``prefix``.
    """
    problems: list[Problem] = []
    kind = _choice(file_format or FileFormat.CSV, FileFormat, f"{prefix}format", "format", problems)
    table = _choice(what, Table, f"{prefix}what", "table", problems) if what else None
    if kind is not None and table is None and not what:
        table = FORMATS[kind].tables[0]
    if kind and table and table not in FORMATS[kind].tables:
        problems.append(Problem(f"{prefix}format", _unfit(kind, table)))
    if table and metrics and table not in _OF_METRICS:
        message = f"{table} has no metrics to choose from; use it with runs or comparison"
        problems.append(Problem(f"{prefix}metric", message))
    if table and series and (table is not Table.SERIES or kind is FileFormat.FLENT):
        message = f"{table} has no series to choose from; use it with series"
        if kind is FileFormat.FLENT:
            message = "Flent files have the series that Flent's test has; none can be chosen"
        problems.append(Problem(f"{prefix}series", message))
    if problems or kind is None or table is None:
        raise InvalidRequestError(problems)
    return ExportRequest(kind, table, tuple(dict.fromkeys(metrics)), tuple(dict.fromkeys(series)))


def _choice(
    word: str, choices: type[Choice], field: str, noun: str, problems: list[Problem]
) -> Choice | None:
    names = [choice.value for choice in choices]
    if word in names:
        return choices(word)
    close = difflib.get_close_matches(word.lower(), names, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else f"; allowed: {', '.join(names)}"
    problems.append(Problem(field, f"{quoted(word)} is not a {noun}{hint}"))
    return None


def _unfit(kind: FileFormat, table: Table) -> str:
    """Why a format can't hold a table, and which can."""
    able = [name.value for name, info in FORMATS.items() if table in info.tables]
    able = [name for name in able if name != FileFormat.FLENT]
    return (
        f"{kind} holds {FORMATS[kind].tables[0]} only; {table} can be exported as "
        f"{', '.join(able[:-1])} or {able[-1]}"
    )
