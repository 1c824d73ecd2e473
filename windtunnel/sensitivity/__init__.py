"""Which axes of a sweep a metric depends on: numbers in, dataclasses out."""

from windtunnel.sensitivity.analysis import analyze
from windtunnel.sensitivity.document import (
    ConfidenceValue,
    Effect,
    EffectKind,
    Method,
    Sensitivity,
    SettingAnalysis,
)

__all__ = [
    "ConfidenceValue",
    "Effect",
    "EffectKind",
    "Method",
    "Sensitivity",
    "SettingAnalysis",
    "analyze",
]
