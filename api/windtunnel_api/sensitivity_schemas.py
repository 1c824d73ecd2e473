"""Response schemas of sensitivity analyses."""

from __future__ import annotations

from pydantic import Field

from windtunnel.sensitivity import EffectKind, Method
from windtunnel_api.schemas import MetricInfo, Wire


class ConfidenceValueOut(Wire):
    """A figure; ``low`` and ``high`` are its 95 % interval, null where there is none."""

    value: float
    low: float | None
    high: float | None


class EffectOut(Wire):
    """What one axis, an interaction, the seeds or noise contribute."""

    kind: EffectKind
    axes: list[str]
    figures: dict[str, ConfidenceValueOut] = Field(
        description=(
            "`share` of the sum of squares (anova), `first` and `total` Sobol' indices, `mu_star`, "
            "`mu` and `sigma` in the metric's unit (morris), or `coefficient` (srrc); `noise` is "
            "how much of `total` or `mu_star` replication noise makes."
        )
    )
    df: int | None = Field(description="Degrees of freedom (anova).")
    p: float | None = Field(description="Of the F test against the noise (anova).")


class SettingAnalysisOut(Wire):
    """The analysis for one setting of the axes that a design does not sample."""

    setting: dict[str, str]
    blocks: str = Field(description="What is complete or left out: seeds, blocks, rows, ...")
    used: int
    planned: int
    seeds: list[int] = Field(description="The seeds in use.")
    mean: float | None
    variance: float | None
    noise: float | None = Field(
        description="Replication noise as a share of the variance; null with one seed."
    )
    effects: list[EffectOut]
    r_squared: float | None = Field(description="Of the rank regression (srrc).")
    conclusion: str
    notes: list[str]


class SensitivityOut(Wire):
    """A metric's sensitivity to the axes of a campaign's sweep (docs/sensitivity.md)."""

    campaign: str
    method: Method
    metric: MetricInfo
    axes: list[str]
    settings: list[SettingAnalysisOut]
    notes: list[str]
