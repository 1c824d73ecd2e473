"""How large a campaign file and its sweep may be.

The limits bound what reading and planning a file costs, whatever is in it: a refused file takes at
most 2 s of CPU time and 200 MB (docs/decisions/0012-planning-budget.md).
"""

from __future__ import annotations

# Of a file, once aliases are written out.
MAX_VALUES = 100_000
MAX_CHARACTERS = 4_000_000  # of all strings and keys together
MAX_DEPTH = 40
MAX_KEY = 200  # characters

# Of a sweep.
MAX_REPLICATIONS = 10_000
MAX_RUNS = 100_000
MAX_CELLS = 5_000
MAX_AXES = 10
MAX_SIMULATORS = 20
MAX_PATHS = 100  # that the values of one axis set
MAX_LABEL = 100  # characters

# Of gates, and of the comparisons of cells that they ask for.
MAX_GATES = 100
MAX_GATE_CELLS = 10_000
MAX_GATES_BYTES = 64 * 1024  # of a file of gates

# Listed of one file; finding more would only cost time.
MAX_PROBLEMS = 100

# Of planning all cells: work in units of about 10 us (windtunnel.spec.work), and the scenarios
# that would be stored.
MAX_WORK = 300_000
MAX_SCENARIO_BYTES = 32_000_000
