"""The sim image contract: records, the stream's reader, and the process launcher."""

from windtunnel.simulator.process import Limits, Outcome, ProcessLauncher, describe
from windtunnel.simulator.reader import Progress, StreamReader

__all__ = ["Limits", "Outcome", "ProcessLauncher", "Progress", "StreamReader", "describe"]
