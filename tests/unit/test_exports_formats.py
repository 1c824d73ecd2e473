"""Columns of exports, and tables as CSV, JSON and Parquet."""

from __future__ import annotations

import csv
import io
import json
import math
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from windtunnel.errors import InvalidRequestError
from windtunnel.exports import FORMATS, FileFormat, Origin, Table, read_request
from windtunnel.exports.columns import RUNS, AxisColumn, Column, axis_columns, typed
from windtunnel.exports.csv_file import csv_file
from windtunnel.exports.json_file import json_file
from windtunnel.exports.parquet_file import parquet_file
from windtunnel.exports.request import format_of_file
from windtunnel.exports.table import ExportedTable, Place

LABELS = ["=cmd()", "50%", "a_b", '"q"', "x,y", "-", "µs #1"]


@pytest.mark.parametrize(
    ("labels", "kind", "values"),
    [
        (["1", "20", "-3"], "int64", (1, 20, -3)),
        (["0.1", "1", "1e-3"], "float64", (0.1, 1.0, 0.001)),
        (["true", "false"], "bool", (True, False)),
        (["newreno", "20"], "text", ("newreno", "20")),
        (["007", "1"], "text", ("007", "1")),  # a name, not a number
        (["99999999999999999999"], "text", ("99999999999999999999",)),
        (["50%", "75%"], "text", ("50%", "75%")),
        (["nan", "1"], "text", ("nan", "1")),
    ],
)
def test_labels_without_units(labels: list[str], kind: str, values: tuple[Any, ...]) -> None:
    assert typed(labels) == (kind, values, None)


@pytest.mark.parametrize(
    ("labels", "kind", "values", "unit"),
    [
        (["128KiB", "1MB"], "int64", (131072, 1000000), "B"),
        (["10ms", "1us", "2 s"], "int64", (10_000_000, 1000, 2_000_000_000), "ns"),
        (["100Mbps", "2.5Gbps"], "int64", (100_000_000, 2_500_000_000), "bps"),
        (["20p", "100p"], "int64", (20, 100), "packets"),
        (["0.5bdp", "1bdp"], "float64", (0.5, 1.0), "bdp"),
        (["0", "5ms"], "int64", (0, 5_000_000), "ns"),
    ],
)
def test_quantities_are_numbers_of_a_base_unit(
    labels: list[str], kind: str, values: tuple[Any, ...], unit: str
) -> None:
    (axis,) = axis_columns([{"name": "x", "labels": labels}])
    assert axis == AxisColumn(Column("x", kind, unit), values, Column("x_unit", "text"))  # type: ignore[arg-type]


def test_quantities_of_two_dimensions_stay_text() -> None:
    (axis,) = axis_columns([{"name": "limit", "labels": ["100p", "150KB"]}])
    assert axis == AxisColumn(Column("limit", "text"), ("100p", "150KB"))


def test_axes_give_way_to_the_tables_columns() -> None:
    axes = [
        {"name": "seed", "labels": ["1"]},
        {"name": "seed_axis", "labels": ["1"]},
        {"name": "x", "labels": ["1ms"]},
        {"name": "x_unit", "labels": ["a"]},
    ]
    names = [(axis.column.name, axis.unit and axis.unit.name) for axis in axis_columns(axes)]
    assert names == [
        ("seed_axis", None), ("seed_axis_axis", None), ("x", "x_unit"), ("x_unit_axis", None),
    ]  # fmt: skip


def origin(**changes: Any) -> Origin:
    counts = {"planned": 3, "finished": 3, **changes}
    return Origin("7f3a", "study", "runs", **counts)


def exported(values: list[float | None], **changes: Any) -> tuple[ExportedTable, pa.RecordBatch]:
    """A table of runs with one metric, and a row for each value and label."""
    table = ExportedTable(
        origin(**changes), axis_columns([{"name": "case", "labels": LABELS}]), RUNS
    )
    places = [Place(index, (index,), 1, f"run{index}") for index in range(len(values))]
    own: list[list[Any]] = [["goodput"] * len(values), values, ["Mb/s"] * len(values)]
    return table, table.batch(places, [1] * len(values), own)


def text(chunks: Iterator[bytes]) -> str:
    return b"".join(chunks).decode()


def test_csv_quotes_and_defuses_formulas() -> None:
    table, batch = exported([1.0] * len(LABELS))
    written = text(csv_file(table, [batch]))
    assert written.startswith("cell,case,seed,run,metric,value,unit\r\n")
    cases = [row["case"] for row in csv.DictReader(io.StringIO(written, newline=""))]
    assert cases == ["'=cmd()", "50%", "a_b", '"q"', "x,y", "'-", "µs #1"]
    assert ',"µs #1",' in written
    assert '3,"""q""",1,run3,goodput,1.0,Mb/s\r\n' in written


def test_numbers_are_the_shortest_that_give_the_same_again() -> None:
    values = [5.0, 0.1, 1e-7, 1e300, None, math.nan, -1 / 3]
    table, batch = exported(values)
    rows = csv.DictReader(io.StringIO(text(csv_file(table, [batch])), newline=""))
    shown = [row["value"] for row in rows]
    assert shown[:2] == ["5.0", "0.1"]
    assert shown[4:6] == ["", ""]
    assert [float(shown[index]) for index in (2, 3, 6)] == [1e-7, 1e300, -1 / 3]


def test_json_is_one_document() -> None:
    table, batch = exported([5.0, math.nan, *[1.5] * 5])
    document = json.loads(text(json_file(table, [batch, batch])))
    assert document["campaign"]["complete"] is True
    assert document["columns"][5] == {"name": "value", "type": "float64"}
    assert len(document["rows"]) == 14
    assert [row["case"] for row in document["rows"][:7]] == LABELS
    assert [row["value"] for row in document["rows"][:3]] == [5.0, None, 1.5]


def test_parquet_keeps_types_and_tells_the_origin() -> None:
    table, batch = exported([5.0, None, *[1.5] * 5], finished=2, failed=1)
    content = b"".join(parquet_file(table, [batch, batch]))
    read = pq.read_table(io.BytesIO(content))
    assert read.schema.field("cell").type == pa.int64()
    assert read.schema.field("value").type == pa.float64()
    assert read.column("case").to_pylist() == LABELS * 2
    assert read.column("value").to_pylist()[:3] == [5.0, None, 1.5]
    metadata = json.loads((read.schema.metadata or {})[b"windtunnel"])
    assert (metadata["campaign"], metadata["complete"]) == ("7f3a", False)
    assert metadata["note"] == "incomplete: 2 of 3 runs have finished, 1 failed"


@pytest.mark.parametrize("write", [csv_file, json_file, parquet_file])
def test_a_table_without_rows_is_valid(write: Any) -> None:
    table, _ = exported([], finished=0)
    content = b"".join(write(table, []))
    if write is csv_file:
        assert content.decode().splitlines() == [
            "# incomplete: 0 of 3 runs have finished", "cell,case,seed,run,metric,value,unit",
        ]  # fmt: skip
    elif write is json_file:
        assert json.loads(content)["rows"] == []
    else:
        assert pq.read_table(io.BytesIO(content)).num_rows == 0


def test_the_note_counts_what_is_missing() -> None:
    assert origin().note == ""
    assert origin(finished=1, failed=1, cancelled=1).note == (
        "incomplete: 1 of 3 runs have finished, 1 failed, 1 cancelled"
    )
    assert origin(without_series=2).note == (
        "incomplete: 3 of 3 runs have finished, 2 of them without series"
    )


def test_defaults_follow_the_format() -> None:
    assert read_request(None, None).format is FileFormat.CSV
    assert read_request("parquet", None).table is Table.RUNS
    assert read_request("latex", None).table is Table.COMPARISON
    assert read_request("flent", None).table is Table.SERIES
    assert read_request(None, "series", series=["a", "a"]).series == ("a",)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("cvs", None), "--format: 'cvs' is not a format; did you mean 'csv'?"),
        (
            ("xls", None),
            "--format: 'xls' is not a format; allowed: csv, parquet, json, markdown, latex, flent",
        ),
        (("csv", "flow"), "--what: 'flow' is not a table; did you mean 'flows'?"),
        (
            ("latex", "runs"),
            "--format: latex holds comparison only; runs can be exported as csv, parquet or json",
        ),
        (
            ("csv", "flows", ["goodput"]),
            "--metric: flows has no metrics to choose from; use it with runs or comparison",
        ),
        (
            ("csv", "runs", [], ["cwnd flow0"]),
            "--series: runs has no series to choose from; use it with series",
        ),
    ],
)
def test_what_cannot_be_asked_for(words: tuple[Any, ...], message: str) -> None:
    file_format, what, metrics, series = (*words, [], [])[:4]
    with pytest.raises(InvalidRequestError) as error:
        read_request(file_format, what, metrics, series, prefix="--")
    assert str(error.value) == message


def test_formats_by_file_name() -> None:
    assert format_of_file("out/study.parquet") is FileFormat.PARQUET
    assert format_of_file("Study.TEX") is FileFormat.LATEX
    assert format_of_file("/dev/stdout") is FileFormat.CSV


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("study.xlsx", "'.xlsx'"),
        ("study.csv.gz", "'.csv.gz'"),
        ("study", "a name without a suffix"),
        ("out.d/study", "a name without a suffix"),
    ],
)
def test_an_unknown_suffix_is_refused(name: str, suffix: str) -> None:
    message = (
        f"output: {suffix} is not a format of exports; use .csv, .parquet, .json, .md, .tex, "
        f"or name --format: {name}"
    )
    with pytest.raises(InvalidRequestError) as caught:
        format_of_file(name)
    assert str(caught.value) == message
    assert all(info.suffixes for info in FORMATS.values())


def test_file_names_are_plain() -> None:
    request = read_request("csv", "packet-delays")
    assert request.file_name('a "b"/ü') == "a-b-packet-delays.csv"
    assert request.file_name("..") == "campaign-packet-delays.csv"


def test_the_service_starts_without_pyarrow() -> None:
    code = "import sys, windtunnel_api.app; print('pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_command_needs_no_library_of_the_service() -> None:
    """What the client installs is enough to check a request."""
    code = (
        "import sys; import windtunnel.exports.request; "
        "print([name for name in ('pyarrow', 'numpy', 'cel', 'sqlalchemy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("label", ["1e400", "-1e999"])
def test_numbers_beyond_a_float_stay_text(label: str) -> None:
    assert typed(["1", "2.5", label]) == ("text", ("1", "2.5", label), None)
