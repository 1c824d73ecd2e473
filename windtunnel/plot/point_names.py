"""Names beside points, where they cover least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from windtunnel.plot.canvas import NOTE_SIZE, TEXT_SIZE, CampaignFigure, axis_size
from windtunnel.plot.marks import Mark
from windtunnel.plot.scales import Estimate, text_width

_Box = tuple[float, float, float, float]  # left, bottom, right, top in points
_RISES = (6, -6, 0, 11, -11, 16, -16, 21, -21)


@dataclass(frozen=True)
class PointName:
    """The name of a cell's point; one that is not ``strong`` is left out where it has no room."""

    cell: int
    text: str
    mark: Mark
    strong: bool


def name_points(
    figure: CampaignFigure,
    axes: Axes,
    names: Sequence[PointName],
    points: Mapping[int, tuple[Estimate, Estimate]],
) -> None:
    """Place names once the axes' size is known: beside points, off their intervals."""
    shown = [name for name in names if name.cell in points]

    def place() -> None:
        width, height = axis_size(axes)
        taken = [box for x, y in points.values() for box in _boxes(axes, x, y, width, height)]
        for name in shown:
            x, y = points[name.cell]
            at = _position(axes, x.mean, y.mean, width, height)
            size = TEXT_SIZE if name.strong else NOTE_SIZE - 0.5
            wide = text_width(name.text, size) + 1
            rises = _RISES if name.strong else _RISES[:3]
            offsets = [(side * 5.5, rise) for rise in rises for side in (1, -1)]
            boxes = [_box(at, offset, wide, size) for offset in offsets]
            costs = [_cost(box, taken, width, height) for box in boxes]
            best = offsets[costs.index(min(costs))]
            if min(costs) > 0 and not name.strong:
                continue
            taken.append(_box(at, best, wide, size))
            axes.annotate(
                name.text,
                xy=(x.mean, y.mean),
                xytext=best,
                textcoords="offset points",
                ha="left" if best[0] > 0 else "right",
                va="center",
                color=name.mark.text_colour,
                fontsize=size,
                fontweight="bold" if name.strong else "normal",
                annotation_clip=False,
                gid="name",
            )

    figure.after_layout(place)


def _boxes(axes: Axes, x: Estimate, y: Estimate, width: float, height: float) -> list[_Box]:
    """Of a point and its two intervals."""
    left, bottom = _position(axes, x.low, y.low, width, height)
    right, top = _position(axes, x.high, y.high, width, height)
    across, up = _position(axes, x.mean, y.mean, width, height)
    return [
        (across - 3, up - 3, across + 3, up + 3),
        (min(left, right), up - 0.7, max(left, right), up + 0.7),
        (across - 0.7, min(bottom, top), across + 0.7, max(bottom, top)),
    ]


def _position(axes: Axes, x: float, y: float, width: float, height: float) -> tuple[float, float]:
    """In points from the axes' lower left corner."""
    left, right = axes.get_xlim()
    bottom, top = axes.get_ylim()
    inside = (
        min(max(x, min(left, right)), max(left, right)),
        min(max(y, min(bottom, top)), max(bottom, top)),
    )
    across, up = axes.transAxes.inverted().transform(axes.transData.transform(inside))
    return float(across) * width, float(up) * height


def _box(at: tuple[float, float], offset: tuple[float, float], wide: float, size: float) -> _Box:
    left = at[0] + offset[0] - (wide if offset[0] < 0 else 0)
    middle = at[1] + offset[1]
    return (left, middle - size / 2, left + wide, middle + size / 2)


def _cost(box: _Box, taken: Sequence[_Box], width: float, height: float) -> float:
    """What the box covers of others, and how far it is outside."""
    outside = max(0.0, -box[0]) + max(0.0, box[2] - width)
    outside += max(0.0, -box[1]) + max(0.0, box[3] - height)
    return 10 * outside + sum(_overlap(box, other) for other in taken)


def _overlap(one: _Box, other: _Box) -> float:
    """The area in common."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide * high if wide > 0 and high > 0 else 0.0
