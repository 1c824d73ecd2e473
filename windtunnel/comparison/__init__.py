"""Comparison of cells with a baseline: results table -> estimates and differences -> document.

Pure computation: the store builds the table, and clients only format the document.
"""

from windtunnel.comparison.coexistence import share_metrics
from windtunnel.comparison.compare import compare
from windtunnel.comparison.document import Comparison
from windtunnel.comparison.metrics import choose_metrics, metric_definitions
from windtunnel.comparison.power import power_note
from windtunnel.comparison.stopping import seeds_needed
from windtunnel.comparison.table import CellResults, CellRun, Design, ResultTable, SimulatorBuild
from windtunnel.comparison.verdicts import Outcome, Verdict

__all__ = [
    "CellResults",
    "CellRun",
    "Comparison",
    "Design",
    "Outcome",
    "ResultTable",
    "SimulatorBuild",
    "Verdict",
    "choose_metrics",
    "compare",
    "metric_definitions",
    "power_note",
    "seeds_needed",
    "share_metrics",
]
