"""What a comparison across campaigns reads of both: their matched cells and configurations."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from windtunnel.comparison import ResultTable, configurations
from windtunnel.comparison.configurations import (
    CellPair,
    Configuration,
    configuration_differences,
)
from windtunnel.comparison.document import Reference
from windtunnel.comparison.pairs import Pair
from windtunnel.store.tables import Campaign, Cell, Run, Scenario


def describe_reference(
    session: Session,
    campaign: Campaign,
    table: ResultTable,
    reference: ResultTable,
    pairs: Mapping[int, Pair],
) -> Reference:
    """The reference ``campaign`` as part of a comparison, with what differs between both."""
    both = _configurations(session, table.design.campaign, campaign.id, pairs)
    return Reference(
        campaign=campaign.id,
        name=campaign.name,
        labels=campaign.labels,
        created_at=campaign.created_at,
        cells={index: pair.other.index for index, pair in pairs.items()},
        differences=configuration_differences(table, reference, pairs, both),
    )


def changed_conditions(
    session: Session, campaign_id: str, reference_id: str, pairs: Mapping[int, Pair]
) -> dict[int, str]:
    """Of the matched cells, by index, what differs in their scenarios beside the algorithm."""
    both = _configurations(session, campaign_id, reference_id, pairs)
    texts = {
        index: configurations.changed_conditions(new.scenario, old.scenario)
        for index, (new, old) in both.items()
    }
    return {index: text for index, text in texts.items() if text}


def _configurations(
    session: Session, campaign_id: str, reference_id: str, pairs: Mapping[int, Pair]
) -> dict[int, CellPair]:
    """Both configurations of the matched cells whose scenario or simulator differs."""
    digests = _scenario_digests(session, campaign_id, reference_id)
    differing = {
        index: pair
        for index, pair in pairs.items()
        if digests[campaign_id, index] != digests[reference_id, pair.other.index]
        or pair.cell.simulator.digest != pair.other.simulator.digest
    }
    scenarios = _scenarios(
        session,
        {digests[campaign_id, index] for index in differing}
        | {digests[reference_id, pair.other.index] for pair in differing.values()},
    )
    runs = {index: _example_runs(pair) for index, pair in differing.items()}
    effective = _effective_settings(session, {run for both in runs.values() for run in both})
    return {
        index: (
            Configuration(scenarios[digests[campaign_id, index]], effective.get(runs[index][0])),
            Configuration(
                scenarios[digests[reference_id, pair.other.index]], effective.get(runs[index][1])
            ),
        )
        for index, pair in differing.items()
    }


def _example_runs(pair: Pair) -> tuple[str, str]:
    """Ids of the runs of both cells under the first seed that both have finished; empty if none."""
    for seed, run in pair.cell.finished.items():
        if seed in pair.other.finished:
            return run.id, pair.other.finished[seed].id
    return "", ""


def _scenario_digests(session: Session, *campaign_ids: str) -> dict[tuple[str, int], str]:
    """By campaign and cell index."""
    query = select(Cell.campaign_id, Cell.index, Cell.scenario_digest)
    rows = session.execute(query.where(Cell.campaign_id.in_(campaign_ids)))
    return {(campaign_id, index): digest for campaign_id, index, digest in rows}


def _scenarios(session: Session, digests: Collection[str]) -> dict[str, Mapping[str, Any]]:
    query = select(Scenario.digest, Scenario.body).where(Scenario.digest.in_(digests))
    return {digest: body for digest, body in session.execute(query)}  # noqa: C416


def _effective_settings(session: Session, run_ids: Collection[str]) -> dict[str, Any]:
    """The settings that simulators report at the start of a run, by run."""
    query = select(Run.id, Run.started["configuration"]).where(Run.id.in_(run_ids))
    return {id_: settings for id_, settings in session.execute(query)}  # noqa: C416
