"""Hue, marker and dashes of an algorithm: the table and the rules of the pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from windtunnel.resources import resource

TABLE = "web/src/figures/algorithms.json"


@dataclass(frozen=True)
class AlgorithmStyle:
    """``kind``: the algorithm without parameters and implementation. ``dash`` 0 is a solid line."""

    kind: str
    hue: int
    marker: str
    dash: int


@cache
def table() -> dict[str, Any]:
    """Hues, markers, dashes and the known kinds."""
    content: dict[str, Any] = json.loads(resource(TABLE).read_text(encoding="utf-8"))
    return content


def hue(index: int) -> str:
    """Colour of lines and markers on white."""
    colour: str = table()["hues"]["light"][index]
    return colour


def text_hue(index: int) -> str:
    """Colour of text on white: with enough contrast for small letters."""
    colour: str = table()["text"]["light"][index]
    return colour


def fnv1a(text: str) -> int:
    """FNV-1a, 32 bits, over UTF-8."""
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def split_name(name: str) -> tuple[str, str]:
    """``vegas, Alpha=1`` of ``vegas Alpha=1``; ``cubic, linux`` of ``linux/cubic``."""
    algorithm, *parameters = name.split() or [""]
    implementation, _, kind = algorithm.rpartition("/")
    return kind, " ".join(filter(None, (implementation, *parameters)))


def algorithm_style(name: str) -> AlgorithmStyle:
    """Known kinds have a fixed style; any other gets one from its hash."""
    kind, variant = split_name(name)
    markers, dashes = table()["markers"], table()["dashes"]
    dash = 1 + fnv1a(variant) % (len(dashes) - 1) if variant else 0
    if kind in table()["kinds"]:
        known_hue, marker = table()["kinds"][kind]
        return AlgorithmStyle(kind, known_hue, marker, dash)
    number = fnv1a(kind)
    hues = len(table()["hues"]["light"])
    return AlgorithmStyle(kind, number % hues, markers[(number >> 8) % len(markers)], dash)


def dashes_of_lines(names: Sequence[str]) -> list[int]:
    """Indices of dash patterns of one figure's lines; lines of the same name get different ones."""
    count = len(table()["dashes"])
    by_name = _dashes_of(names, count)
    seen: dict[str, int] = {}
    indices = []
    for name in names:
        nth = seen.get(name, 0)
        seen[name] = nth + 1
        indices.append((by_name[name] + nth) % count)
    return indices


def _dashes_of(names: Sequence[str], count: int) -> dict[str, int]:
    """By name; where two variants of a kind share one, the later name takes the next free."""
    taken: dict[str, set[int]] = {}
    chosen: dict[str, int] = {}
    for name in sorted(set(names)):
        style = algorithm_style(name)
        used = taken.setdefault(style.kind, set())
        free = style.dash
        for _ in range(count):
            if free not in used or style.dash == 0:
                break
            free = free % (count - 1) + 1
        used.add(free)
        chosen[name] = free
    return chosen


def hues_of(names: Sequence[str], dashes: Sequence[int]) -> list[int]:
    """Hues of one figure's lines: no two kinds share hue and dashes while hues are free.

    Known kinds keep theirs; others take the next free one, in the order of their names.
    """
    by_kind: dict[str, set[int]] = {}
    for name, dash in zip(names, dashes, strict=True):
        by_kind.setdefault(split_name(name)[0], set()).add(dash)
    chosen: dict[str, int] = {}
    taken: set[tuple[int, int]] = set()
    count = len(table()["hues"]["light"])
    for kind in sorted(by_kind, key=lambda kind: (kind not in table()["kinds"], kind)):
        first = algorithm_style(kind).hue
        free = [(first + step) % count for step in range(count)]
        fitting = (hue for hue in free if not taken & {(hue, dash) for dash in by_kind[kind]})
        chosen[kind] = first if kind in table()["kinds"] else next(fitting, first)
        taken |= {(chosen[kind], dash) for dash in by_kind[kind]}
    return [chosen[split_name(name)[0]] for name in names]
