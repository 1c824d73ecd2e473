"""Comparison of cells with a baseline: results table -> estimates and differences -> document.

Pure computation: the store builds the table, and clients only format the document.
"""

from windtunnel.comparison.compare import compare
from windtunnel.comparison.document import Comparison
from windtunnel.comparison.metrics import choose_metrics, metric_definitions
from windtunnel.comparison.table import CellResults, CellRun, Design, ResultTable, SimulatorBuild

__all__ = [
    "CellResults",
    "CellRun",
    "Comparison",
    "Design",
    "ResultTable",
    "SimulatorBuild",
    "choose_metrics",
    "compare",
    "metric_definitions",
]
