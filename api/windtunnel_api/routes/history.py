"""Route for a metric's history over campaigns."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from windtunnel.comparison.history import HistoryView
from windtunnel.errors import InvalidRequestError, Problem, quoted
from windtunnel.store.history import metric_history
from windtunnel_api.authorization import READ
from windtunnel_api.dependencies import Limit, ReadSession
from windtunnel_api.history_schemas import HistoryOut
from windtunnel_api.labels import QueryLabels

router = APIRouter(tags=["campaigns"])


@router.get("/history", dependencies=READ)
def history(
    session: ReadSession,
    labels: QueryLabels,
    metric: Annotated[str, Query(max_length=200)],
    name: Annotated[str | None, Query(max_length=100, description="Of the campaigns.")] = None,
    cell: Annotated[
        list[str] | None,
        Query(description="Only cells with this label, such as `algorithm=vegas`; repeatable."),
    ] = None,
    by: Annotated[str | None, Query(max_length=63)] = None,
    limit: Limit = 50,
) -> HistoryOut:
    """Show a metric over the newest ended campaigns of one name, and where it changed.

    ``label`` selects campaigns; ``name`` may be omitted if all of them have the same. ``by`` is the
    label that tells them apart, by default `commit`.
    """
    view = HistoryView(_cell_labels(cell or []), by)
    found = metric_history(session, metric, labels, name, limit, view)
    return HistoryOut.model_validate(found)


def _cell_labels(texts: list[str]) -> dict[str, str]:
    """Labels by axis. Raises InvalidRequestError."""
    labels: dict[str, str] = {}
    for text in texts:
        axis, equals, label = text.partition("=")
        if not equals or not axis:
            message = f"{quoted(text)} is not an axis and its label, such as algorithm=vegas"
            raise InvalidRequestError([Problem("query.cell", message)])
        labels[axis] = label
    return labels
