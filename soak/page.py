"""The verdicts as a table, on the terminal and in docs/reliability.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from soak.verdicts import Kind, Verdict
from tools.sections import write_section

_SMALL_TABLE_MB = 0.1


def text(verdicts: Sequence[Verdict]) -> str:
    """One line for each series, 80 columns."""
    lines = [f"{'':<42}{'2nd quarter':>12}{'last':>8}{'most':>8}  grew"]
    for verdict in _shown(verdicts):
        early, late, most = _numbers(verdict)
        name = _name(verdict)
        lines.append(f"{name:<44}{early:>10}{late:>8}{most:>8}  {_answer(verdict)}")
    return "\n".join(lines)


def table(verdicts: Sequence[Verdict]) -> str:
    """The same as a Markdown table."""
    lines = ["| | 2nd quarter | last quarter | most | grew |", "|---|---:|---:|---:|---|"]
    lines += [
        f"| {_name(verdict)} | {' | '.join(_numbers(verdict))} | {_answer(verdict)} |"
        for verdict in _shown(verdicts)
    ]
    return "\n".join(lines) + "\n"


def sentence(minutes: float, done: Counter[str]) -> str:
    """What was done in this time, in words."""
    what = "; ".join(f"{name}: {count:,}" for name, count in sorted(done.items()))
    return f"{minutes:g} minutes. {what}.\n"


def write(minutes: float, done: Counter[str], verdicts: Sequence[Verdict]) -> None:
    """Write the table into docs/reliability.md."""
    text = f"{sentence(minutes, done)}\n{table(verdicts)}"
    write_section("reliability.md", "make soak", text.rstrip())


def _shown(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """All but small tables that did not grow."""
    return [
        verdict
        for verdict in verdicts
        if verdict.grew or verdict.series.kind is not Kind.TABLE or verdict.most >= _SMALL_TABLE_MB
    ]


def _name(verdict: Verdict) -> str:
    unit = "" if verdict.series.kind in (Kind.COUNT, Kind.SIZE) else " (MB)"
    return verdict.series.name + unit


def _numbers(verdict: Verdict) -> tuple[str, str, str]:
    digits = 0 if verdict.series.kind is Kind.COUNT else 1
    early, late, most = (
        f"{value:,.{digits}f}" for value in (verdict.early, verdict.late, verdict.most)
    )
    return early, late, most


def _answer(verdict: Verdict) -> str:
    if verdict.series.kind is Kind.KEPT:
        return "kept on purpose"
    return "**yes**" if verdict.grew else "no"
