"""What figures read from the service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from windtunnel.errors import ConflictError, InvalidRequestError, Problem, SpecError
from windtunnel.plot.request import invalid
from windtunnel.suggestions import unknown_metric

Get = Callable[..., dict[str, Any]]


@dataclass(frozen=True)
class Metric:
    """``direction`` is ``higher``, ``lower`` or ``none``: what is better."""

    name: str
    title: str
    unit: str
    direction: str


class Source:
    """A campaign's comparison, distributions and series; ``get`` sends one request."""

    def __init__(self, get: Get, campaign_id: str) -> None:
        self.get = get
        self._id = campaign_id

    @cached_property
    def overview(self) -> dict[str, Any]:
        """The comparison with the default metrics. Raises ConflictError before there are any."""
        comparison = self.get(f"/campaigns/{self._id}/comparison", default=True)
        if not any(cell["finished"] for cell in comparison["cells"]):
            state = self._campaign["state"]
            if state in ("ended", "cancelled"):
                how = "was cancelled" if state == "cancelled" else "has ended"
                message = f"campaign {self._id} {how} before any run succeeded"
                raise ConflictError(f"{message}, so there is nothing to draw")
            message = f"no run of campaign {self._id} has finished yet, so there is nothing to draw"
            raise ConflictError(f"{message}; follow it with 'windtunnel watch {self._id}'")
        return comparison

    @cached_property
    def _campaign(self) -> dict[str, Any]:
        return self.get(f"/campaigns/{self._id}")

    @property
    def sampled_axes(self) -> list[str]:
        """Names of the axes that a design samples; none of a grid."""
        design = self._campaign["design"]
        return [each["name"] for each in design["inputs"]] if design else []

    @property
    def campaign_id(self) -> str:
        """The full id."""
        full: str = self.overview["campaign"]
        return full

    def comparison(self, metrics: Sequence[Metric]) -> Mapping[str, Any]:
        """The comparison of these metrics."""
        names = [metric.name for metric in metrics]
        if names == [metric["name"] for metric in self.overview["metrics"]]:
            return self.overview
        return self.get(f"/campaigns/{self._id}/comparison", metric=names)

    def metric(self, field: str, name: str) -> Metric:
        """A metric of the campaign's runs. Raises InvalidRequestError."""
        known = {metric["name"]: metric for metric in self.overview["available"]}
        if name not in known:
            invalid(field, unknown_metric(name, list(known)))
        content = known[name]
        return Metric(name, content["title"], content["unit"], content["direction"])

    def has_metric(self, name: str) -> bool:
        return any(metric["name"] == name for metric in self.overview["available"])

    def primary(self) -> Metric:
        """The metric shown unless one is named: the first that verdicts are given on."""
        names = [*self.overview["family"]["metrics"], *self.overview["default_metrics"]]
        return self.metric("y", next(name for name in names if self.has_metric(name)))

    def distributions(self, field: str | None, cells: Sequence[int]) -> dict[str, Any]:
        """Cumulative distributions. Raises InvalidRequestError for an unknown field."""
        named = {} if field is None else {"field": field}
        path = f"/campaigns/{self._id}/distributions"
        try:
            return self.get(path, cell=list(cells), **named)
        except SpecError as error:
            problems = [Problem("x", problem.message) for problem in error.problems]
            raise InvalidRequestError(problems) from error
