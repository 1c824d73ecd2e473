"""From a campaign to its cells and runs: pure and deterministic."""

from windtunnel.plan.identity import cell_digest, run_identity
from windtunnel.plan.kinds import Kinds, kinds_of
from windtunnel.plan.plan import Cell, Plan, make_plan

__all__ = ["Cell", "Kinds", "Plan", "cell_digest", "kinds_of", "make_plan", "run_identity"]
