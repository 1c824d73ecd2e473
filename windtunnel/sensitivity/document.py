"""The sensitivity document: what tables, pages and files show of an analysis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from windtunnel.spec.description import Metric


class Method(StrEnum):
    """How a campaign is analyzed, which its sweep decides."""

    ANOVA = "anova"  # grids
    SOBOL = "sobol"  # design saltelli
    MORRIS = "morris"  # design morris
    SRRC = "srrc"  # design lhs


class EffectKind(StrEnum):
    """What an effect is of."""

    AXIS = "axis"
    INTERACTION = "interaction"  # of two axes
    INTERACTIONS = "interactions"  # of three and more axes, together
    SEED = "seed"
    NOISE = "noise"


@dataclass(frozen=True)
class ConfidenceValue:
    """A figure with its 95 % interval, if it has one."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Effect:
    """What one axis, interaction or source of noise contributes.

    ``figures`` by name: ``share`` (of the sum of squares), ``first`` and ``total`` (Sobol'
    indices), ``mu_star``, ``mu`` and ``sigma`` (elementary effects, in the metric's unit for an
    axis's whole range), or ``coefficient`` (standardized rank regression); with several seeds
    ``noise`` is how much of ``total`` or ``mu_star`` replication noise makes. ``df`` and ``p`` are
    those of an F test, in an analysis of variance with noise.
    """

    kind: EffectKind
    axes: tuple[str, ...]
    figures: Mapping[str, ConfidenceValue]
    df: int | None = None
    p: float | None = None


@dataclass(frozen=True)
class SettingAnalysis:
    """The analysis for one setting of the axes that a design does not sample.

    ``setting`` has their labels; a grid has one analysis, without labels. ``used`` of ``planned``
    ``blocks`` are complete: seeds of a grid; blocks, rows or trajectories of a design.
    ``noise`` is the replication noise as a share of the variance, None with one seed. Without
    effects, ``conclusion`` says why.
    """

    setting: Mapping[str, str]
    blocks: str
    used: int
    planned: int
    seeds: tuple[int, ...]
    mean: float | None
    variance: float | None
    noise: float | None
    effects: tuple[Effect, ...]
    r_squared: float | None
    conclusion: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Sensitivity:
    """A metric's sensitivity to a campaign's axes; ``notes`` hold for all settings."""

    campaign: str
    method: Method
    metric: Metric
    axes: tuple[str, ...]
    settings: tuple[SettingAnalysis, ...]
    notes: tuple[str, ...]
