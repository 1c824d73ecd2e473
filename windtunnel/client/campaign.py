"""A campaign of a service, for scripts and notebooks."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from windtunnel.client.http import HttpClient
from windtunnel.client.progress import progress_display
from windtunnel.client.tables import TableCache, data_frame, with_coordinates

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Names = str | Sequence[str]


class Campaign:
    """A campaign: its state, its results as data frames, and its figures.

    Data frames are tidy: a column per axis of the sweep, numbers as numbers with their unit in
    ``AXIS_unit``. Their ``attrs["windtunnel"]`` says which campaign they are from and how many runs
    had finished. A table of an unfinished campaign comes with a warning.
    """

    def __init__(self, http: HttpClient, cache: TableCache, state: Mapping[str, Any]) -> None:
        self._http = http
        self._cache = cache
        self._state = state

    @property
    def id(self) -> str:
        id_: str = self._state["id"]
        return id_

    @property
    def name(self) -> str:
        name: str = self._state["name"]
        return name

    @property
    def url(self) -> str:
        """The campaign's page."""
        return f"{self._http.server}/campaigns/{self.id}"

    def __repr__(self) -> str:
        runs = self._state["runs"]
        ended = runs["succeeded"] + runs["failed"] + runs["cancelled"]
        total = sum(runs.values())
        return f"<Campaign {self.id} {self.name!r}: {self._state['state']}, {ended}/{total} runs>"

    def state(self) -> dict[str, Any]:
        """The campaign as the service has it now: state, runs, cost, labels (CampaignOut)."""
        self._state = self._http.get(f"/campaigns/{self.id}")
        return dict(self._state)

    def wait(self, *, progress: bool = True, timeout: float | None = None) -> Campaign:
        """Wait until every run has ended; returns the campaign.

        Shows a progress bar in a terminal or notebook. Warns of failed and cancelled runs. Raises
        TimeoutError after ``timeout`` seconds; the campaign continues then.
        """
        with (
            progress_display(self.name, progress) as display,
            self._http.retrying(display.message),
        ):
            try:
                for state in self._http.follow(self.id, timeout):
                    self._state = state
                    display.update(state)
                    if state["superseded_by"]:
                        break
            except TimeoutError:
                message = f"{self!r} has not ended after {timeout:g} s; it continues"
                raise TimeoutError(message) from None
        self.state()
        self._warn_of_missing()
        return self

    def cancel(self) -> Campaign:
        """Cancel what has not ended; runs shared with another campaign continue."""
        self._state = self._http.post(f"/campaigns/{self.id}/cancel")
        return self

    def extend(self, replications: int) -> Campaign:
        """Add seeds until every cell has ``replications``; only the new runs are computed."""
        self._state = self._http.extend(self.id, replications)
        return self

    def delete(self) -> None:
        """Delete the campaign, with the runs and results that no other campaign uses."""
        self._http.delete(f"/campaigns/{self.id}")

    def conclusions(self) -> list[str]:
        """The comparison's conclusions, as sentences."""
        summary: list[str] = self._http.get(f"/campaigns/{self.id}/comparison", default=True)[
            "summary"
        ]
        return summary

    def comparison(self, metrics: Names = ()) -> pd.DataFrame:
        """One row per cell and metric: mean, 95 % interval, difference to the baseline, verdict.

        Without ``metrics``, all that the runs report.
        """
        return self._table("comparison", metric=metrics)

    def runs(self, metrics: Names = (), *, wide: bool = False) -> pd.DataFrame:
        """One row per finished run and metric; or, ``wide``, one row per run, a column per metric.

        Without ``metrics``, all that the runs report. A wide table has no units.
        """
        table = self._table("runs", metric=metrics)
        if not wide:
            return table
        keys = [name for name in table.columns if name not in ("metric", "value", "unit")]
        order = list(dict.fromkeys(table["metric"]))
        widened = table.pivot(index=keys, columns="metric", values="value")[order].reset_index()
        widened.columns.name = None
        widened.attrs = table.attrs
        return widened

    def flows(self) -> pd.DataFrame:
        """One row per flow of every finished run, with the fields of its record."""
        return self._table("flows")

    def flow_percentiles(
        self, field: str | None = None, percentiles: Sequence[float] = (50, 95, 99)
    ) -> pd.DataFrame:
        """Percentiles of a field over the flows, a row per cell and percentile.

        ``pooled`` is over the flows of all seeds; ``mean`` that of the seeds' own percentiles, with
        its 95 % interval. ``attrs["notes"]`` explains the difference. Without ``field``, completion
        times or else goodput.
        """
        asked: dict[str, Any] = {"percentile": list(percentiles)}
        if field is not None:
            asked["field"] = field
        content = self._http.get(f"/campaigns/{self.id}/flow-percentiles", **asked)
        rows = [
            {
                "cell": cell["cell"],
                **coordinates,
                "field": content["field"],
                "unit": content["unit"],
                "flows": cell["n_values"],
                "percent": each["percent"],
                "pooled": each["pooled"],
                **_estimated(each["by_seed"]),
                "seeds": each["by_seed"]["n"],
            }
            for cell, coordinates in with_coordinates(content["cells"])
            for each in cell["percentiles"]
        ]
        frame = data_frame(rows)
        frame.attrs["notes"] = content["notes"]
        return frame

    def fairness(self, window_ms: int | None = None) -> pd.DataFrame:
        """Jain's index of the flows' goodput over time, a row per cell and interval.

        ``mean`` is over the seeds, with its 95 % interval. Needs runs with the series ``{probe:
        goodput, at: flows}``; ``window_ms`` is the interval's length, by default the series' step.
        """
        asked = {} if window_ms is None else {"window_ms": window_ms}
        content = self._http.get(f"/campaigns/{self.id}/fairness", **asked)
        return data_frame(
            [
                {
                    "cell": cell["cell"],
                    **coordinates,
                    "time_s": point["time_s"],
                    **_estimated(point),
                    "seeds": point["seeds"],
                }
                for cell, coordinates in with_coordinates(content["cells"])
                for point in cell["points"]
            ]
        )

    def series(self, names: Names = ()) -> pd.DataFrame:
        """One row per sample of every finished run's time series; ``names`` limits them."""
        return self._table("series", series=names)

    def packet_delays(self) -> pd.DataFrame:
        """How many data packets of every finished run had which one-way delay."""
        return self._table("packet-delays")

    def plot(
        self,
        kind: str | None = None,
        *,
        x: str | None = None,
        y: Names = (),
        by: Names = (),
        facet: str | None = None,
        where: Mapping[str, Any] | Names = (),
        log: Names = (),
        linear: Names = (),
        series: Names = (),
        **options: Any,
    ) -> Figure:
        """Draw a figure; what is not given is chosen from the data. Needs windtunnel[plot].

        Arguments are the options of ``windtunnel plot`` (windtunnel.plot.PlotRequest); ``where`` is
        a mapping of axes to labels, or texts such as ``servers=32``. Raises InvalidRequestError for
        what the campaign does not have. Warns of an incomplete campaign.
        """
        from windtunnel.plot import PlotRequest, draw, notes_of

        filters = (
            [f"{axis}={label}" for axis, label in where.items()]
            if isinstance(where, Mapping)
            else _listed(where)
        )
        request = PlotRequest(
            kind=cast("Any", kind),  # checked there
            x=x,
            y=tuple(_listed(y)),
            by=tuple(_listed(by)),
            facet=facet,
            where=tuple(filters),
            log=tuple(_listed(log)),
            linear=tuple(_listed(linear)),
            series=tuple(_listed(series)),
            **options,
        )
        figure = draw(self._http.get, self.id, request)
        for note in notes_of(figure):
            warnings.warn(note, IncompleteWarning, stacklevel=2)
        return figure

    def _table(self, what: str, **options: Names) -> pd.DataFrame:
        asked = {name: _listed(value) for name, value in options.items() if value}
        frame = self._cache.read(self._http, self.id, what, asked)
        contents = frame.attrs["windtunnel"]
        if not contents["complete"]:
            message = (
                f"{self.name} ({self.id}) is incomplete: {contents['finished']} of "
                f"{contents['planned']} runs have finished"
            )
            warnings.warn(message, IncompleteWarning, stacklevel=3)
        return frame

    def _warn_of_missing(self) -> None:
        runs = self._state["runs"]
        total = sum(runs.values())
        for state in ("failed", "cancelled"):
            if runs[state]:
                message = f"{runs[state]} of {total} runs {state}; see {self.url}"
                warnings.warn(message, IncompleteWarning, stacklevel=3)


class IncompleteWarning(UserWarning):
    """Some runs of a campaign have no result."""


def _estimated(estimate: Mapping[str, Any]) -> dict[str, float | None]:
    low, high = estimate["ci95"] or (None, None)
    return {"mean": estimate["mean"], "ci_low": low, "ci_high": high}


def _listed(names: Names) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
