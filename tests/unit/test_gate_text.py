"""Gates as text for people and for CI."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from tests.docs.blocks import block
from tests.unit.test_comparison import cell
from tests.unit.test_gates import BASE, SLOWER, without
from windtunnel.cli.exit_codes import ANSWER_IS_NO, RUNS_MISSING
from windtunnel.cli.gate_reports import junit, markdown
from windtunnel.cli.gate_text import print_gates
from windtunnel.cli.gating import exit_code
from windtunnel.comparison import CellResults, Design, ResultTable
from windtunnel.comparison.gates import evaluate
from windtunnel.run import RunState
from windtunnel.spec import read_yaml
from windtunnel.spec.analysis import Analysis
from windtunnel.spec.description import Metric
from windtunnel.spec.gates import Gate, read_gates_file
from windtunnel_api.gate_schemas import GatesOut

P99 = Metric("packet_delay_ms_p99", "ms", "lower", "")
GOODPUT = Metric("goodput_mbps", "Mb/s", "higher", "")
# The example of docs/gates.md; goodputs differ by -0.1, 0, 0.1, -0.1, 0.
GOODPUTS = (
    {1: 48.1, 2: 47.9, 3: 48.3, 4: 48.0, 5: 48.2},
    {1: 48.0, 2: 47.9, 3: 48.4, 4: 47.9, 5: 48.2},
)


def cells() -> tuple[CellResults, CellResults]:
    both = []
    for index, (name, delays) in enumerate((("newreno", BASE), ("my-cca", SLOWER))):
        values = {P99.name: delays, GOODPUT.name: GOODPUTS[index]}
        source = cell(index, delays)
        both.append(replace(source, coordinates={"algorithm": name}, values=values, units={}))
    return both[0], both[1]


def evaluated(*gates: Gate, table: tuple[CellResults, ...] | None = None) -> dict[str, Any]:
    analysis = Analysis(replications=5)
    baseline = {"algorithm": "newreno"}
    design = Design("7f3a", ("algorithm",), baseline, (P99, GOODPUT), (P99.name,), {}, analysis)
    report = evaluate(ResultTable(design, table or cells()), gates, 10_000)
    return GatesOut.of(report).model_dump(mode="json")


def text(report: dict[str, Any], width: int = 80) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=True, color_system=None)
    print_gates(report, console)
    return file.getvalue()


def test_the_documentations_example_is_what_is_printed() -> None:
    gates = read_gates_file(read_yaml(block("docs/gates.md", "gates:").text))
    report = evaluated(*gates[:2])
    shown = block("docs/gates.md", "$ windtunnel run").text
    assert text(report) == shown.partition("\n ...\n")[2]
    assert exit_code(report, 0) == ANSWER_IS_NO


def test_narrow_terminals_break_between_words_and_wide_ones_do_not() -> None:
    report = evaluated(Gate(P99.name, "not worse than 1 %"))
    for width in (60, 80, 120):
        assert all(len(line) <= width for line in text(report, width).splitlines()[:-1])
    assert text(report, 200).splitlines()[0] == (
        "FAILED  packet_delay_ms_p99  algorithm=my-cca  against newreno: "
        "+3.0 % (+0.30 ms, 95 % CI +1.1 to +4.9 %, 5 seeds), allowed +1 %"
    )


@pytest.mark.parametrize(
    ("gate", "line"),
    [
        (Gate(P99.name, "better"), "95 % CI +1.1 to +4.9 %, 5 seeds), allowed only better"),
        (Gate(P99.name, "not worse than 0.2 ms"),
         "+0.30 ms (95 % CI +0.10 to +0.50, 5 seeds), allowed +0.2 ms, inconclusive fails"),
        (Gate(P99.name, "not worse than 0.3 ms", inconclusive="warn"),
         "+0.30 ms (95 % CI +0.10 to +0.50, 5 seeds), allowed +0.3 ms, a warning"),
        (Gate(P99.name, "not worse than 0.3 ms", inconclusive="extend"),
         "allowed +0.3 ms, look 1 of 4, more replications may decide"),
        (Gate(P99.name, "at most 10 ms", {}, None, "pass"),
         "10.3 ms (95 % CI 9.8 to 10.8, 5 seeds), allowed at most 10 ms, inconclusive passes"),
        (Gate(GOODPUT.name, "not worse than 1 %"), "allowed -1 %"),
    ],
)  # fmt: skip
def test_a_line_has_the_figures_that_the_condition_is_about(gate: Gate, line: str) -> None:
    assert text(evaluated(gate), 200).splitlines()[0].endswith(line)


def test_exit_codes_tell_a_no_from_missing_runs() -> None:
    strict, loose = Gate(P99.name, "not worse than 1 %"), Gate(P99.name, "not worse than 20 %")
    assert exit_code(evaluated(loose), 0) == 0
    assert exit_code(evaluated(loose), RUNS_MISSING) == RUNS_MISSING
    assert exit_code(evaluated(strict, loose), RUNS_MISSING) == ANSWER_IS_NO
    base, other = cells()

    def lacking(state: RunState, failure: str | None) -> CellResults:
        return replace(without(other, 3, state, failure), coordinates=other.coordinates)

    failed = lacking(RunState.FAILED, "timed_out")
    missing = evaluated(strict, table=(base, failed))
    assert missing["status"] == "failed"
    assert exit_code(missing, RUNS_MISSING) == RUNS_MISSING
    waiting = lacking(RunState.RUNNING, None)
    assert exit_code(evaluated(loose, table=(base, waiting)), 0) == ANSWER_IS_NO


def test_reports_escape_what_their_formats_reserve() -> None:
    base, other = cells()
    named = replace(other, coordinates={"algorithm": "<a|b> & *c*"})
    report = evaluated(Gate(P99.name, "not worse than 1 %"), table=(base, named))
    case = ET.fromstring(junit(report, "x & y"))[0][0]
    assert case.get("classname") == "x & y"
    assert case.get("name") == (
        "packet_delay_ms_p99  algorithm=<a|b> & *c*  against newreno: not worse than 1 %"
    )
    failure = case.find("failure")
    assert failure is not None
    assert str(failure.get("message")).endswith("allowed +1 %")
    row = markdown(report, "x").splitlines()[4]
    assert "algorithm=\\<a\\|b\\> & \\*c\\*" in row


def test_very_many_cells_are_counted() -> None:
    base, other = cells()
    many = [replace(other, index=n, coordinates={"algorithm": f"a{n}"}) for n in range(1, 101)]
    shown = text(evaluated(Gate(P99.name, "not worse than 20 %"), table=(base, *many)), 200)
    assert shown.startswith("... 40 more cells (--json lists all)\n")
    assert shown.count("passed  packet_delay_ms_p99") == 60
