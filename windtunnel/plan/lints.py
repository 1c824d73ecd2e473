"""Notes on what is valid in a campaign but likely a mistake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from windtunnel.errors import Problem
from windtunnel.spec.axes import AxisValue, baseline_text
from windtunnel.spec.campaign import Campaign
from windtunnel.spec.resolver import Lint


class Lints:
    """Collects the lints of a campaign's cells, each rule once per axis or field."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._similar: dict[tuple[str, str], _Similar] = {}

    def add(self, lint: Lint, point: Sequence[AxisValue]) -> None:
        """Add the lint of a cell; it points to the axis value that sets its field, if one does."""
        origin, blamed = self._blame(lint, point)
        self._similar.setdefault((origin, lint.rule), _Similar(origin, blamed)).add(blamed)

    def problems(self) -> list[Problem]:
        """The lints of the campaign's own fields, then those of its cells."""
        cells = (similar.problem() for similar in self._similar.values())
        return [*_frame_lints(self._campaign), *cells]

    def _blame(self, lint: Lint, point: Sequence[AxisValue]) -> tuple[str, Lint]:
        field = lint.path.removeprefix("scenario.")
        for axis, value in zip(self._campaign.axes, point, strict=True):
            for path in value.settings:
                if field == path or field.startswith((f"{path}.", f"{path}[")):
                    message = lint.message if path == axis.name else f"{field}: {lint.message}"
                    place = axis.path_of(value.index)
                    return axis.path, replace(lint, path=place, message=message)
        return lint.path, lint


class _Similar:
    """Lints of one rule, of which only one is kept: that with the largest last value."""

    def __init__(self, origin: str, first: Lint) -> None:
        self._path = origin
        self._shown = first
        self._alike = self._all = 0

    def add(self, lint: Lint) -> None:
        self._all += 1
        if lint.values[-1:] > self._shown.values[-1:]:
            self._shown = replace(lint, path=self._shown.path)
            self._alike = 0
        self._alike += lint.message == self._shown.message
        if lint.path != self._shown.path:
            self._shown = replace(self._shown, path=self._path)

    def problem(self) -> Problem:
        others = self._all - self._alike
        more = f" (and {others} more cell{'s' if others > 1 else ''})" if others else ""
        return Problem(self._shown.path, self._shown.message + more)


def _frame_lints(campaign: Campaign) -> Iterator[Problem]:
    """What a reader of the comparison would miss."""
    if campaign.design is not None:
        if campaign.replications == 1:
            message = (
                "1 seed can't tell effects from replication noise; 'replications: 2' measures it"
            )
            yield Problem("replications", message)
        return
    if campaign.replications == 1:
        message = "1 seed gives no confidence intervals; 'replications: 5' gives useful ones"
        yield Problem("replications", message)
    elif campaign.replications == 2:
        # Student's t for 1 and 4 degrees of freedom, over the root of the number of seeds.
        message = "2 seeds give intervals of ± 9 standard deviations; 'replications: 5' gives ± 1.2"
        yield Problem("replications", message)
    if campaign.axes and not campaign.baseline:
        axis = campaign.axes[0]
        message = (
            "without a baseline the comparison has no differences; to add one: "
            f"'baseline: {baseline_text(axis.name, axis.values[0].label)}'"
        )
        yield Problem("baseline", message)
