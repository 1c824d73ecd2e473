"""Ends and ticks of axes, and the spreading of labels, by the rules of the pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from windtunnel.plot.numbers import format_place, format_tick

Ends = tuple[float, float]
_SLACK = 2.5  # an upper end of an interval beyond this many times the largest mean is cut
_MOST_PLACES = 16


@dataclass(frozen=True)
class Tick:
    """``label`` is empty for a tick without one."""

    value: float
    label: str


@dataclass(frozen=True)
class Estimate:
    """A mean with the ends of its 95 % interval, which are the mean where there is none."""

    mean: float
    low: float
    high: float
    n: int


def tick_step(low: float, high: float, count: int) -> float:
    """The distance of about ``count`` ticks: 1, 2 or 5 times a power of ten."""
    step = (high - low) / max(1, count)
    power = math.floor(math.log10(step))
    error = step / 10.0**power
    factor = 10 if error >= math.sqrt(50) else 5 if error >= math.sqrt(10) else 0
    factor = factor or (2 if error >= math.sqrt(2) else 1)
    return factor * 10.0**power


def linear_ticks(ends: Ends, count: int = 5) -> list[Tick]:
    """Ticks at round numbers within the ends."""
    low, high = ends
    step = tick_step(low, high, count)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = [float(f"{index * step:.12g}") for index in range(first, last + 1)]
    return [Tick(value, format_tick(value, step)) for value in values]


def log_ticks(ends: Ends) -> list[Tick]:
    """Doublings from 1 on if they are few, else 1, 2 and 5 times powers of ten, or these only."""
    low, high = ends

    def within(values: Iterable[float]) -> list[float]:
        return [value for value in values if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]

    doublings = within(_powers(2, low, high))
    decades = _powers(10, low, high)
    fine = within(factor * decade for decade in decades for factor in (1, 2, 5))
    coarse = within(decades)
    if low >= 0.9 and 1 < len(doublings) <= 8:
        values = doublings
    else:
        values = fine if len(fine) <= 7 or len(coarse) < 2 else coarse
    return [Tick(value, format_tick(value, value)) for value in values]


def nice_domain(
    values: Iterable[float], floor: float | None = None, log: bool = False, count: int = 5
) -> Ends:
    """The ends of a value axis, round numbers: from 0 if ``floor`` is 0."""
    finite = [value for value in values if math.isfinite(value) and (not log or value > 0)]
    if not finite:
        return (1, 10) if log else (0, 1)
    low, high = min(finite), max(finite)
    if log:
        return _nice_log(low, high)
    if floor == 0:
        low, high = 0, max(0, high)
    if low == high:
        pad = abs(high) * 0.1 or 1
        return (0, high + pad) if floor == 0 else (low - pad, high + pad)
    for _ in range(3):
        step = tick_step(low, high, count)
        ends = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
        if ends == (low, high):
            break
        low, high = ends
    return low, high


def interval_ends(estimates: Iterable[Estimate], slack: float = _SLACK) -> list[float]:
    """All ends that a value axis has to show; one far above every mean is left to be cut."""
    known = list(estimates)
    top = max((abs(one.mean) for one in known), default=0) * slack
    ends = [end for one in known for end in (one.low, one.high)]
    if top > 0:
        ends = [min(top, max(-top, end)) for end in ends]
    return [*(one.mean for one in known), *ends]


def data_domain(values: Sequence[float], log: bool) -> Ends:
    """The least and the largest value; one value gets room at both sides."""
    if not values:
        return (1, 10) if log else (0, 1)
    low, high = min(values), max(values)
    if low < high:
        return low, high
    pad = abs(low) * 0.5 or 1
    return (low / 2, low * 2) if log else (low - pad, low + pad)


def place_ticks(
    places: Iterable[float],
    position: Callable[[float], float],
    log: bool,
    size: float,
    fallback: Sequence[Tick],
) -> list[Tick]:
    """A tick at every measured place, with labels where they fit; ``position`` is in points.

    On a log axis doublings, else powers of ten, are labelled first. Beyond 16 places of a linear
    axis the ``fallback`` is labelled instead. ``size`` is that of the font.
    """
    ordered = sorted(set(places))
    if len(ordered) > _MOST_PLACES and not log:
        return list(fallback)
    doublings = [value for value in ordered if log and math.log2(value).is_integer()]
    decades = [value for value in ordered if log and round(math.log10(value), 9).is_integer()]
    preferred = doublings if len(doublings) > 2 else decades if len(decades) > 2 else []
    candidates = [*preferred, *ordered[-1:], *ordered[:1], *ordered]
    labelled = fitting([Tick(value, format_place(value)) for value in candidates], position, size)
    by_value = {tick.value: tick.label for tick in labelled}
    return [Tick(value, by_value.get(value, "")) for value in ordered]


def fitting(ticks: Iterable[Tick], position: Callable[[float], float], size: float) -> list[Tick]:
    """The ticks whose labels do not touch that of an earlier one in the sequence."""
    taken: list[Ends] = []
    kept: dict[float, Tick] = {}
    for tick in ticks:
        at, half = position(tick.value), text_width(tick.label, size) / 2 + size / 3
        if tick.value in kept or any(at + half > low and at - half < high for low, high in taken):
            continue
        taken.append((at - half, at + half))
        kept[tick.value] = tick
    return list(kept.values())


def text_width(text: str, size: float) -> float:
    """Estimate of a text's width, in the unit of ``size``."""
    return len(text) * size * 0.575


def spread_labels(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions at least ``gap`` apart within the ends, in their order and moved least.

    Least squares by pooling adjacent violators; the gap shrinks if there is no room for all.
    """
    count = len(positions)
    if count == 0:
        return []
    room = min(gap, (high - low) / (count - 1)) if count > 1 else gap
    order = sorted(range(count), key=lambda index: (positions[index], index))
    blocks: list[tuple[float, int]] = []
    for rank, index in enumerate(order):
        total, size = positions[index] - rank * room, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / size:
            above, several = blocks.pop()
            total, size = above + total, several + size
        blocks.append((total, size))
    spread = [0.0] * count
    rank = 0
    for total, size in blocks:
        base = min(max(low, high - (count - 1) * room), max(low, total / size))
        for _ in range(size):
            spread[order[rank]] = base + rank * room
            rank += 1
    return spread


def _nice_log(low: float, high: float) -> Ends:
    base = 2.0 if low >= 0.9 and high / low < 2**11 else 10.0
    first = base ** math.floor(math.log(low, base) + 1e-9)
    last = base ** math.ceil(math.log(high, base) - 1e-9)
    return first, last if last > first else first * base


def _powers(base: float, low: float, high: float) -> list[float]:
    """Powers of the base from the one below ``low`` to ``high``."""
    first, last = (math.floor(math.log(end, base) + 1e-9) for end in (low, high))
    return [float(base) ** exponent for exponent in range(first, last + 1)]
