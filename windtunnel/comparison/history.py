"""A metric over campaigns, oldest to newest, and where it changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from windtunnel.comparison.matching import Coordinates, match_cells
from windtunnel.comparison.table import SimulatorBuild
from windtunnel.comparison.verdicts import Outcome, direction_of
from windtunnel.errors import InvalidRequestError, Problem, quoted
from windtunnel.spec.description import Metric
from windtunnel.statistics import Difference, Estimate, estimate
from windtunnel.statistics.change_points import ChangePoint, candidates, change_points
from windtunnel.suggestions import nearest

COMMIT = "commit"  # the label that tells campaigns apart unless another is asked for
_MIN_SEEDS = 2


@dataclass(frozen=True)
class MeasuredCell:
    """A cell's values of the metric by seed; ``deterministic`` as in `CellResults`."""

    coordinates: Coordinates
    planned: int
    values: Mapping[int, float]
    deterministic: bool


@dataclass(frozen=True)
class MeasuredCampaign:
    """A campaign of a history, with its cells by index."""

    id: str
    created_at: datetime
    labels: Mapping[str, str]
    simulators: tuple[SimulatorBuild, ...]
    cells: Mapping[int, MeasuredCell]


@dataclass(frozen=True)
class HistoryCampaign:
    """``value`` is that of the label by which campaigns are told apart; None without it."""

    id: str
    created_at: datetime
    value: str | None
    labels: Mapping[str, str]
    simulators: tuple[SimulatorBuild, ...]


@dataclass(frozen=True)
class HistoryPoint:
    """A cell in one campaign. ``estimate`` is None without values."""

    campaign: str
    planned: int
    values: Mapping[int, float]
    estimate: Estimate | None


@dataclass(frozen=True)
class HistoryChange:
    """A change: ``campaign`` is the first one after it, ``difference`` after minus before.

    ``p`` is adjusted for all candidates of the history; None if the values are exact.
    """

    campaign: str
    outcome: Outcome
    difference: Difference
    p: float | None


@dataclass(frozen=True)
class HistoryCell:
    """One cell over the campaigns that have it. ``seeds`` are those that the test was based on."""

    coordinates: Coordinates
    points: tuple[HistoryPoint, ...]
    seeds: tuple[int, ...]
    changes: tuple[HistoryChange, ...]


@dataclass(frozen=True)
class History:
    """A metric over the campaigns of one name, oldest first.

    ``by`` is the label that tells them apart, None if there is none. ``tests`` is the number of
    positions where some cell may have changed, for which the changes are corrected.
    """

    name: str
    labels: Mapping[str, str]
    by: str | None
    metric: Metric
    campaigns: tuple[HistoryCampaign, ...]
    cells: tuple[HistoryCell, ...]
    tests: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class HistoryView:
    """What of a history is asked for: only cells with these labels, campaigns told apart by one."""

    cells: Mapping[str, str]
    by: str | None = None


@dataclass(frozen=True)
class _Track:
    """A cell of the newest campaign in all campaigns; ``tested`` have all planned values."""

    coordinates: Coordinates
    cells: Mapping[str, MeasuredCell]  # by campaign

    @property
    def tested(self) -> dict[str, MeasuredCell]:
        return {
            id_: cell
            for id_, cell in self.cells.items()
            if cell.planned and len(cell.values) == cell.planned
        }

    @property
    def seeds(self) -> tuple[int, ...]:
        """Seeds that all tested campaigns have."""
        sets = [set(cell.values) for cell in self.tested.values()]
        return tuple(sorted(set.intersection(*sets))) if sets else ()

    @property
    def exact(self) -> bool:
        return all(cell.deterministic for cell in self.tested.values())

    def series(self) -> list[list[float]]:
        return [[cell.values[seed] for seed in self.seeds] for cell in self.tested.values()]


def history(
    name: str,
    labels: Mapping[str, str],
    metric: Metric,
    campaigns: Sequence[MeasuredCampaign],
    view: HistoryView,
) -> History:
    """The history of a metric; ``campaigns`` are ordered by time, at least one.

    Cells are those of the newest campaign, matched as `match_cells` says. Raises
    InvalidRequestError for cells or a label that do not exist.
    """
    matched, unmatched = _matched(campaigns)
    newest = matched[-1][0]
    chosen = _chosen_cells(newest, view.cells)
    tracks = [
        _Track(
            newest.cells[index].coordinates,
            {
                campaign.id: campaign.cells[cells[index]]
                for campaign, cells in matched
                if index in cells
            },
        )
        for index in chosen
    ]
    by = _distinguishing_label([campaign for campaign, _ in matched], labels, view.by)
    tests = sum(
        len(candidates(track.series())) for track in tracks if len(track.seeds) >= _MIN_SEEDS
    )
    return History(
        name=name,
        labels=labels,
        by=by,
        metric=metric,
        campaigns=tuple(
            HistoryCampaign(
                campaign.id,
                campaign.created_at,
                campaign.labels.get(by) if by else None,
                campaign.labels,
                campaign.simulators,
            )
            for campaign, _ in matched
        ),
        cells=tuple(_cell(track, metric, tests) for track in tracks),
        tests=tests,
        notes=tuple(_notes(tracks, len(matched), unmatched)),
    )


def _matched(
    campaigns: Sequence[MeasuredCampaign],
) -> tuple[list[tuple[MeasuredCampaign, dict[int, int]]], list[str]]:
    """Campaigns with their cells by the newest one's, and ids of those without a matching cell."""
    places = {index: cell.coordinates for index, cell in campaigns[-1].cells.items()}
    matched, unmatched = [], []
    for campaign in campaigns:
        others = {index: cell.coordinates for index, cell in campaign.cells.items()}
        if cells := match_cells(places, others):
            matched.append((campaign, cells))
        else:
            unmatched.append(campaign.id)
    return matched, unmatched


def _cell(track: _Track, metric: Metric, tests: int) -> HistoryCell:
    ids = list(track.tested)
    changes: list[ChangePoint] = []
    if track.exact or len(track.seeds) >= _MIN_SEEDS:
        changes = change_points(track.series(), tests, track.exact)
    return HistoryCell(
        coordinates=track.coordinates,
        points=tuple(_point(id_, cell) for id_, cell in track.cells.items()),
        seeds=track.seeds,
        changes=tuple(
            HistoryChange(
                ids[change.index],
                direction_of(metric.direction, change.difference.mean),
                change.difference,
                change.p,
            )
            for change in changes
        ),
    )


def _point(campaign: str, cell: MeasuredCell) -> HistoryPoint:
    sample = list(cell.values.values())
    if cell.deterministic:
        sample = sample[:1]
    return HistoryPoint(campaign, cell.planned, cell.values, estimate(sample) if sample else None)


def _chosen_cells(campaign: MeasuredCampaign, labels: Mapping[str, str]) -> list[int]:
    """Indices of the cells with these labels. Raises InvalidRequestError."""
    axes: dict[str, set[str]] = {}
    for cell in campaign.cells.values():
        for axis, label in cell.coordinates.items():
            axes.setdefault(axis, set()).add(label)
    wanted = {_axis(name, list(axes)): label for name, label in labels.items()}
    for axis, label in wanted.items():
        if label not in axes[axis]:
            known = sorted(axes[axis])
            hint = nearest(label, known) or f"; known: {', '.join(known)}"
            message = f"{quoted(label)} is not on the axis {axis}{hint}"
            raise InvalidRequestError([Problem("query.cell", message)])
    return [
        index
        for index, cell in campaign.cells.items()
        if all(cell.coordinates[axis] == label for axis, label in wanted.items())
    ]


def _axis(name: str, axes: Sequence[str]) -> str:
    """The axis of this name, or the only one that ends with it. Raises InvalidRequestError."""
    if name in axes:
        return name
    endings = [axis for axis in axes if axis.endswith(f".{name}")]
    if len(endings) == 1:
        return endings[0]
    hint = nearest(name, list(axes)) or f"; known: {', '.join(axes) or 'none'}"
    raise InvalidRequestError([Problem("query.cell", f"{quoted(name)} is not an axis{hint}")])


def _distinguishing_label(
    campaigns: Sequence[MeasuredCampaign], labels: Mapping[str, str], asked: str | None
) -> str | None:
    """The label asked for, else commit, else the one with most values. InvalidRequestError."""
    values: dict[str, set[str]] = {}
    for campaign in campaigns:
        for name, value in campaign.labels.items():
            values.setdefault(name, set()).add(value)
    if asked is not None:
        if asked not in values:
            hint = nearest(asked, list(values)) or f"; known: {', '.join(values)}"
            message = f"no campaign of this history has a label {quoted(asked)}{hint}"
            raise InvalidRequestError([Problem("query.by", message)])
        return asked
    if COMMIT in values and COMMIT not in labels:
        return COMMIT
    varying = {name: len(found) for name, found in values.items() if len(found) > 1}
    return max(varying, key=lambda name: varying[name]) if varying else None


def _notes(tracks: Sequence[_Track], campaigns: int, unmatched: Sequence[str]) -> list[str]:
    notes = []
    seeds = sorted({len(track.seeds) for track in tracks})
    if tracks and seeds[0] < _MIN_SEEDS and not all(track.exact for track in tracks):
        notes.append("changes can't be tested with fewer than two seeds that all campaigns have")
    incomplete = {id_ for track in tracks for id_ in track.cells if id_ not in track.tested}
    if incomplete:
        notes.append(
            f"not tested, because planned runs have no value: some cells of {len(incomplete)} of "
            f"{campaigns} campaigns"
        )
    if unmatched:
        notes.append(f"left out, without a matching cell: {', '.join(unmatched[:10])}")
    return notes
