"""A comparison as LaTeX tables, one per metric, for pdflatex with the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from windtunnel.exports.metric_tables import MetricTable, Row, metric_tables
from windtunnel.exports.origin import Origin

_SIGNIFICANT = frozenset(("better", "worse", "higher", "lower"))
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "`": r"\textasciigrave{}",
    '"': r"\texttt{\char34}",  # a straight one, which fonts of text lack
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # after the end of a row it would begin an option
    "-": "{-}",  # two would become a dash
    **{character: f"\\{character}" for character in "%_&#${}"},
    "±": r"$\pm$",
    "×": r"$\times$",
    "µ": r"$\mu$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "→": r"$\rightarrow$",
}
_TRANSLATION = str.maketrans(_ESCAPES)


def latex_file(origin: Origin, comparison: Mapping[str, Any]) -> Iterator[bytes]:
    r"""Tables to be included by ``\input``; a comment says of what, and if it is incomplete."""
    lines = [
        f"% {_comment(origin.name)}, campaign {origin.campaign}; needs \\usepackage{{booktabs}}"
    ]
    if origin.note:
        lines.append(f"% {origin.note}")
    yield _text(lines)
    for table in metric_tables(comparison):
        yield _text(["", *_table(table)])


def escaped(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return text.translate(_TRANSLATION)


def figure(text: str) -> str:
    """A number with its sign as mathematics has it: ``-60.1 % ± 3.0``."""
    sign, text = ("$-$", text[1:]) if text.startswith("-") else ("", text)
    return sign + escaped(text).replace(r" \%", r"\,\%")


def _table(table: MetricTable) -> Iterator[str]:
    columns = "l" * len(table.axes) + ("rr" if table.baseline else "r")
    headings = [*map(escaped, table.axes), escaped(table.title)]
    if table.baseline:
        headings.append(f"difference to {escaped(table.baseline)}")
    yield r"\begin{table}"
    yield r"  \centering"
    yield rf"  \caption{{{_caption(table)}}}"
    yield rf"  \label{{tab:{re.sub(r'[^A-Za-z0-9]+', '-', table.name)}}}"
    yield r"  \smallskip"
    yield rf"  \begin{{tabular}}{{{columns}}}"
    yield r"    \toprule"
    yield _line(headings)
    yield r"    \midrule"
    for row in table.rows:
        yield _line(_fields(row, table))
    yield r"    \bottomrule"
    yield r"  \end{tabular}"
    yield r"\end{table}"


def _caption(table: MetricTable) -> str:
    interval = r"mean $\pm$ half-width of the 95\,\% confidence interval"
    over = f"{interval} over {table.seeds} seeds"
    if table.seeds == 1:
        over = "over 1 seed, without an interval"
    text = f"{escaped(table.title)}: {over}"
    if table.baseline:
        text += f", and difference to {escaped(table.baseline)}"
    outcomes = {row.outcome for row in table.rows}
    if outcomes & _SIGNIFICANT:
        text += r"; $^{*}$ significant at 5\,\% after Holm's correction"
    if "equivalent" in outcomes:
        text += "; $^{=}$ equivalent within the relevance threshold"
    return f"{text}."


def _fields(row: Row, table: MetricTable) -> list[str]:
    fields = [*map(escaped, row.labels), figure(row.estimate)]
    if table.baseline:
        mark = r"$^{*}$" if row.outcome in _SIGNIFICANT else ""
        mark = "$^{=}$" if row.outcome == "equivalent" else mark
        fields.append("baseline" if row.is_baseline else figure(row.difference) + mark)
    return fields


def _line(fields: list[str]) -> str:
    return f"    {' & '.join(fields)} \\\\"


def _comment(text: str) -> str:
    return " ".join(text.split())


def _text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
