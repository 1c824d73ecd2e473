"""Cells set against a baseline: results table -> estimates and differences -> one document.

Pure: the store makes the table, everybody else serializes the document and computes nothing.
"""

from windtunnel.comparison.compare import compare
from windtunnel.comparison.document import Comparison
from windtunnel.comparison.metrics import choose_metrics, reported
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
    "reported",
]
