"""Evaluated gates as text: one line per cell, and the conclusion."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console

from windtunnel.cli.render import counted, print_message
from windtunnel.numbers import number
from windtunnel.texts import axis_titles

PASSING = ("passed", "warned")
WORDS = {"passed": "passed", "failed": "FAILED", "inconclusive": "inconclusive"}
_STYLES = {"passed": "green", "failed": "red", "inconclusive": "yellow"}
_CONSEQUENCES = {
    "passed": "inconclusive passes",
    "warned": "a warning",
    "failed": "inconclusive fails",
    "extend": "more replications may decide",
    "pending": "runs have not ended",
}
_MAX_LINES = 60
_NO_BREAK = "\N{NO-BREAK SPACE}"

Json = Mapping[str, Any]


def print_gates(report: Json, out: Console, options: str = "") -> None:
    """Print the gates' cells, the failed ones last, and what follows. Fits the terminal."""
    cells = sorted(results(report), key=lambda pair: _ORDER.index(pair[1]["outcome"]))
    left_out = max(0, len(cells) - _MAX_LINES)
    if left_out:
        out.print(f"... {left_out} more cells (--json lists all)")
    for result, cell in cells[left_out:]:
        word = WORDS[cell["outcome"]]
        text = f"{word:<6}  {subject(result, cell)}: {figures(result, cell)}"
        for line in _lines(text, out.width) if out.is_terminal else [text]:
            out.print(line, markup=False, soft_wrap=True, style=_STYLES[cell["outcome"]])
    print_message(out, conclusion(report, options))


def _lines(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` columns that keep numbers and their units together."""
    glued = re.sub(r"(?<=[0-9]) (?=[^\s0-9(])", _NO_BREAK, text)
    lines = textwrap.wrap(glued, width, subsequent_indent=" " * 8, break_on_hyphens=False)
    return [line.replace(_NO_BREAK, " ") for line in lines]


_ORDER = ("passed", "inconclusive", "failed")


def results(report: Json) -> Iterator[tuple[Json, Json]]:
    """Each gate's result with each of its cells."""
    for result in report["gates"]:
        for cell in result["cells"]:
            yield result, cell


def subject(result: Json, cell: Json) -> str:
    """What is tested: ``goodput_mbps  algorithm=my-cca  against newreno``."""
    titles = axis_titles(list(cell["coordinates"]))
    labels = cell["coordinates"].values()
    named = " ".join(f"{axis}={label}" for axis, label in zip(titles, labels, strict=True))
    text = f"{result['gate']['metric']}  {named or 'the only cell'}"
    against = ", ".join(cell["reference"].values())
    return f"{text}  against {against}" if against else text


def figures(result: Json, cell: Json) -> str:
    """The difference or the mean, what is allowed, and why there is no more to say."""
    parts = [_figures(result, cell), f"allowed {result['allowed']}"]
    if cell["reason"]:
        parts = [cell["reason"]] if cell["runs_missing"] else [*parts, cell["reason"]]
    if result["look"]["count"] > 1:
        parts.append(f"look {result['look']['number']} of {result['look']['count']}")
    if cell["outcome"] == result["outcome"] == "inconclusive" and not cell["runs_missing"]:
        parts.append(_CONSEQUENCES[result["status"]])
    return ", ".join(filter(None, parts))


def _figures(result: Json, cell: Json) -> str:
    unit = {"1": ""}.get(result["unit"], f" {result['unit']}")
    change, mean = cell["difference"], cell["estimate"]
    if change is None:
        if mean is None or result["gate"]["against"] is not None:
            return ""
        interval = _interval(mean["ci95"], mean["half_width"], 1, "")
        text = f"{number(mean['mean'], mean['half_width'])}{unit}"
        return f"{text} ({_joined(interval, _seeds(cell, mean))})"
    unit = " pp" if result["unit"] == "%" else unit
    absolute = f"{_signed(change['mean'], change['half_width'])}{unit}"
    if not result["relative"] or change["relative_mean"] is None:
        interval = _interval(change["ci95"], change["half_width"], 1, "+")
        return f"{absolute} ({_joined(interval, _seeds(cell, change))})"
    half = change["relative_half_width"]
    share = _signed(100 * change["relative_mean"], 100 * half if half else None)
    interval = _interval(change["relative_ci95"], half, 100, "+")
    interval = f"{interval} %" if interval else ""
    return f"{share} % ({_joined(absolute, interval, _seeds(cell, change))})"


def _interval(ci95: tuple[float, float] | None, half: float | None, scale: float, sign: str) -> str:
    if ci95 is None or not half:
        return ""
    write = _signed if sign else number
    low, high = (write(scale * bound, scale * half) for bound in ci95)
    return f"95 % CI {low} to {high}"


def _signed(value: float, resolution: float | None) -> str:
    return f"{'-' if value < 0 else '+'}{number(abs(value), resolution)}"


def _seeds(cell: Json, sample: Json) -> str:
    if cell["exact"]:
        return "exact"
    unpaired = ", unpaired" if sample.get("paired") is False else ""
    return counted(sample["n"], "seed") + unpaired


def _joined(*parts: str) -> str:
    return ", ".join(filter(None, parts))


def conclusion(report: Json, options: str = "") -> str:
    """How many gates failed, and the command that is of use next."""
    total, counts = len(report["gates"]), Counter(gate["status"] for gate in report["gates"])
    texts = []
    if counts["failed"]:
        texts.append(f"{counts['failed']} of {counted(total, 'gate')} failed")
    for status, text in (("extend", "undecided"), ("pending", "undecided: runs have not ended")):
        if counts[status]:
            texts.append(f"{counts[status]} of {counted(total, 'gate')} {text}")
    if not texts:
        texts.append(f"{'all ' if total > 1 else ''}{counted(total, 'gate')} passed")
    if counts["warned"]:
        texts.append(f"{counts['warned']} inconclusive, which is a warning only")
    text = "; ".join(texts)
    campaign, run = report["campaign"], worst_run(report)
    if run:
        return f"{text}; reproduce the worst seed:\n  windtunnel simulate --run {run}{options}"
    if report["status"] == "extend":
        command = f"windtunnel extend {campaign} --replications {report['extend_to']}"
        return f"{text}; more replications may decide:\n  {command}{options}"
    if report["status"] == "pending":
        return f"{text}; to follow them:\n  windtunnel watch {campaign}{options}"
    return text


def worst_run(report: Json) -> str | None:
    """The run to look at first: of the first cell that fails a gate."""
    for outcome in ("failed", "inconclusive"):
        for result, cell in results(report):
            if result["status"] == "failed" and cell["outcome"] == outcome and cell["worst"]:
                run: str = cell["worst"]["run"]
                return run[:12]
    return None
