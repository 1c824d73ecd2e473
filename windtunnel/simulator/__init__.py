"""Executing simulators that follow the sim image contract, and parsing their record stream."""

from windtunnel.simulator.execution import (
    Cancelled,
    ExecutionMonitor,
    ExitStatus,
    Failed,
    Launcher,
    Limits,
    Lost,
    Outcome,
    ProgressCallback,
    Succeeded,
)
from windtunnel.simulator.installed import InstalledSimulator, InstalledSimulators
from windtunnel.simulator.orphans import become_subreaper
from windtunnel.simulator.process import ProcessLauncher, describe
from windtunnel.simulator.reader import Progress, StreamReader

__all__ = [
    "Cancelled",
    "ExecutionMonitor",
    "ExitStatus",
    "Failed",
    "InstalledSimulator",
    "InstalledSimulators",
    "Launcher",
    "Limits",
    "Lost",
    "Outcome",
    "ProcessLauncher",
    "Progress",
    "ProgressCallback",
    "StreamReader",
    "Succeeded",
    "become_subreaper",
    "describe",
]
