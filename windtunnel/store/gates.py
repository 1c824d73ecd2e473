"""Gates evaluated on the stored results of a campaign, and of those that gates name."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from windtunnel.comparison import ResultTable
from windtunnel.comparison.across import reference_title
from windtunnel.comparison.gate_cells import OtherCampaign
from windtunnel.comparison.gates import GateReport, evaluate
from windtunnel.comparison.matching import matched_pairs
from windtunnel.errors import NotFoundError, SpecError
from windtunnel.spec.gates import Gate, other_campaigns
from windtunnel.spec.limits import MAX_REPLICATIONS
from windtunnel.store import results
from windtunnel.store.labels import find_reference
from windtunnel.store.references import changed_conditions
from windtunnel.store.tables import Campaign


def evaluate_gates(
    session: Session,
    campaign: Campaign,
    gates: Sequence[Gate],
    max_runs: int,
    must_exist: bool = False,
) -> GateReport:
    """Evaluate gates that were checked. ``max_runs`` limits what the campaign may be extended to.

    With ``must_exist`` another campaign that can't be compared with raises NotFoundError,
    InvalidRequestError or NothingInCommonError; otherwise the gates that name it fail.
    """
    if not gates:
        return GateReport(campaign.id, None, None, ())
    metrics = sorted({gate.metric for gate in gates})
    table = results.result_table(session, campaign, results.design_of(campaign), metrics)
    maximum = min(MAX_REPLICATIONS, max_runs // len(table.cells))
    others = {
        reference: _other(session, campaign, table, reference, metrics, must_exist)
        for reference in other_campaigns(gates)
    }
    return evaluate(table, gates, maximum, campaign.growing, others)


def _other(
    session: Session,
    campaign: Campaign,
    table: ResultTable,
    reference: str,
    metrics: Sequence[str],
    must_exist: bool,
) -> OtherCampaign:
    """The campaign that a gate names, with its cells that match."""
    try:
        other = find_reference(session, campaign, reference)
        design = results.design_of(other)
        pairs = matched_pairs(table, results.result_table(session, other, design, metrics))
    except (NotFoundError, SpecError) as error:
        if must_exist:
            raise
        problems = error.problems if isinstance(error, SpecError) else ()
        text = "; ".join(problem.message for problem in problems) or str(error)
        return OtherCampaign(reference, problem=text)
    cells = {index: pair.other for index, pair in pairs.items()}
    changed = changed_conditions(session, campaign.id, other.id, pairs)
    return OtherCampaign(reference_title(other.name, other.id), cells, design.measured, changed)
