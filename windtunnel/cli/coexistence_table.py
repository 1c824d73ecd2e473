"""The matrix of competing algorithms as a table: shares, and how contentious each one is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from windtunnel.cli.render import fits
from windtunnel.numbers import number


def print_coexistence(coexistence: Mapping[str, Any], console: Console) -> None:
    """Print the matrix, or a line per pair if it does not fit, and the ranking."""
    setting = ", ".join(
        f"{axis.rpartition('.')[2]} {label}" for axis, label in coexistence["setting"].items()
    )
    heading = "share of the max-min fair rate (%): rows beside columns"
    console.print(f"{setting}: {heading}" if setting else heading, markup=False)
    table = _matrix(coexistence)
    if fits(table, console):
        console.print(table)
    else:
        for share in coexistence["shares"]:
            text = f"{share['algorithm']} beside {share['against']}: {_value(share['estimate'])}"
            console.print(text, markup=False)
    if coexistence["contentiousness"]:
        ranking = ", ".join(_places(coexistence))
        console.print(f"most contentious (leaves least to the others): {ranking}", markup=False)


def _matrix(coexistence: Mapping[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 1), header_style="bold")
    table.add_column("", no_wrap=True)
    for algorithm in coexistence["algorithms"]:
        table.add_column(Text(algorithm), justify="right", no_wrap=True)
    shares = {(share["algorithm"], share["against"]): share for share in coexistence["shares"]}
    for algorithm in coexistence["algorithms"]:
        cells = [
            _value(shares[algorithm, against]["estimate"]) for against in coexistence["algorithms"]
        ]
        table.add_row(Text(algorithm), *map(Text, cells))
    return table


def _places(coexistence: Mapping[str, Any]) -> Iterator[str]:
    for place in coexistence["contentiousness"]:
        rank = f"{place['rank']}{'=' if place['tied'] else ''}"
        yield f"{rank} {place['algorithm']} ({_value(place['left_to_others'])} %)"


def _value(estimate: Mapping[str, Any] | None) -> str:
    if estimate is None:
        return "–"
    mean, half = estimate["mean"], estimate["half_width"]
    return f"{number(mean, half)} ± {number(half, half)}" if half else number(mean)
