"""One run that was executed on this machine, for scripts and notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.client.simulation import execute
from windtunnel.client.tables import require_pandas
from windtunnel.errors import SimulationError

if TYPE_CHECKING:
    import pandas as pd

    from windtunnel.result import RunResult


@dataclass(frozen=True)
class LocalRun:
    """What a run recorded. ``result`` has everything; the methods give it as data frames."""

    result: RunResult

    @classmethod
    def execute(cls, spec: Mapping[str, Any], data: Path | None, seed: int | None) -> LocalRun:
        """Execute a run spec. Raises SpecError if it is invalid, SimulationError."""
        if seed is not None:
            spec = {**spec, "seed_index": seed}
        outcome = execute(spec, data, on_message=lambda _: None)
        from windtunnel.simulator import Cancelled, Succeeded

        if not isinstance(outcome, Succeeded):
            message = "cancelled" if isinstance(outcome, Cancelled) else outcome.message
            raise SimulationError(message)
        return cls(outcome.result)

    @property
    def digest(self) -> str:
        """SHA-256 of the deterministic records: equal for equal simulator, scenario and seed."""
        return self.result.digest

    def __repr__(self) -> str:
        result = self.result
        return (
            f"<LocalRun {result.digest[:12]}: {len(result.metrics)} metrics, "
            f"{len(result.flows)} flows, {len(result.series)} series>"
        )

    def metrics(self) -> pd.DataFrame:
        """One row per metric: ``metric``, ``value``, ``unit``."""
        rows = [(metric.name, metric.value, metric.unit) for metric in self.result.metrics]
        require_pandas()
        import pandas as pd

        return pd.DataFrame(rows, columns=["metric", "value", "unit"])

    def flows(self) -> pd.DataFrame:
        """One row per flow, with the fields of its record."""
        require_pandas()
        import pandas as pd

        return pd.DataFrame.from_records(list(self.result.flows))

    def series(self) -> pd.DataFrame:
        """One row per sample: ``series``, ``unit``, ``time_s``, ``value``."""
        import numpy as np

        require_pandas()
        import pandas as pd

        frames = [
            pd.DataFrame(
                {
                    "series": series.name,
                    "unit": series.unit,
                    "time_s": (series.first_ns + series.step_ns * np.arange(len(series.values)))
                    / 1e9,
                    "value": series.values,
                }
            )
            for series in self.result.series
        ]
        columns = ["series", "unit", "time_s", "value"]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)

    def packet_delays(self) -> pd.DataFrame:
        """How many data packets had which one-way delay: ``delay_ns``, ``packets``."""
        rows = [(delay.delay_ns, delay.packets) for delay in self.result.packet_delays]
        require_pandas()
        import pandas as pd

        return pd.DataFrame(rows, columns=["delay_ns", "packets"])
