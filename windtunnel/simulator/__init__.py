"""The sim image contract: records, the stream's reader, execution, and the process launcher."""

from windtunnel.simulator.execution import Ending, Launcher, Limits, Outcome, Reception, Watch
from windtunnel.simulator.installed import InstalledSimulator, InstalledSimulators
from windtunnel.simulator.process import ProcessLauncher, describe
from windtunnel.simulator.reader import Progress, StreamReader

__all__ = [
    "Ending",
    "InstalledSimulator",
    "InstalledSimulators",
    "Launcher",
    "Limits",
    "Outcome",
    "ProcessLauncher",
    "Progress",
    "Reception",
    "StreamReader",
    "Watch",
    "describe",
]
