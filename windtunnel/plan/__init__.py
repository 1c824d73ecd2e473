"""From a campaign to its cells and runs: pure and deterministic."""

from windtunnel.plan.identity import cell_digest, run_identity
from windtunnel.plan.plan import Cell, Plan, make_plan

__all__ = ["Cell", "Plan", "cell_digest", "make_plan", "run_identity"]
