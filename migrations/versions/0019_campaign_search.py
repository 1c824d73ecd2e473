"""What campaigns are found and sorted by, and their files as they were submitted

Revision ID: 0019
Revises: 0018
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_KINDS = ("algorithms", "topologies", "workloads")
# The kinds of each scenario, read once however many cells have it, with their place in the order of
# appearance: those of its algorithm, topology and workload, and of the workload's groups.
_SCENARIO_KINDS = """
    CREATE TEMPORARY TABLE scenario_kind ON COMMIT DROP AS
    SELECT scenario.digest, fields.name, kinds.kind, min(fields.place) AS place
    FROM scenario
    CROSS JOIN LATERAL (
        SELECT scenario.body -> 'algorithm' AS algorithm, scenario.body -> 'topology' AS topology,
            scenario.body -> 'workload' AS workload, scenario.body #> '{workload,groups}' AS groups
        OFFSET 0
    ) AS body
    CROSS JOIN LATERAL (
        SELECT 'algorithms' AS name, 0 AS place, body.algorithm AS field
        UNION ALL
        SELECT 'algorithms', groups.place, groups.value -> 'algorithm'
        FROM json_array_elements(
            CASE WHEN json_typeof(body.groups) = 'array' THEN body.groups ELSE '[]' END
        ) WITH ORDINALITY AS groups (value, place)
        UNION ALL
        SELECT 'topologies', 0, body.topology
        UNION ALL
        SELECT 'workloads', 0, body.workload
    ) AS fields
    CROSS JOIN LATERAL (
        SELECT CASE json_typeof(fields.field)
            WHEN 'string' THEN fields.field #>> '{}'
            WHEN 'object' THEN fields.field ->> 'kind'
        END AS kind
    ) AS kinds
    WHERE kinds.kind IS NOT NULL
    GROUP BY scenario.digest, fields.name, kinds.kind
"""


def upgrade() -> None:
    op.execute(_SCENARIO_KINDS)
    op.execute("ANALYZE scenario_kind")
    for name in _KINDS:
        column = sa.Column(
            name, postgresql.ARRAY(sa.Text()), nullable=False, server_default=sa.text("'{}'")
        )
        op.add_column("campaign", column)
        op.execute(_filled(name))
    op.execute("DROP TABLE scenario_kind")
    # None for campaigns from before; the document is all that was kept of their files.
    op.add_column("campaign", sa.Column("file", sa.LargeBinary(), nullable=True))
    op.add_column(
        "campaign",
        sa.Column("file_is_json", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.create_index("ix_campaign_name", "campaign", [sa.text("lower(name)"), "id"])
    op.create_index("ix_campaign_cost", "campaign", ["predicted_cpu_seconds", "id"])


def _filled(name: str) -> str:
    """A statement that sets a column from the scenarios of each campaign's cells."""
    return f"""
        UPDATE campaign SET {name} = found.kinds FROM (
            SELECT campaign_id, array_agg(kind ORDER BY cell_index, place) AS kinds
            FROM (
                SELECT DISTINCT ON (cell.campaign_id, found.kind)
                    cell.campaign_id, found.kind, cell.cell_index, found.place
                FROM cell
                JOIN scenario_kind AS found ON found.digest = cell.scenario_digest
                WHERE found.name = '{name}'
                ORDER BY cell.campaign_id, found.kind, cell.cell_index, found.place
            ) AS first
            GROUP BY campaign_id
        ) AS found
        WHERE found.campaign_id = campaign.id
    """  # noqa: S608  (constants of this file)


def downgrade() -> None:
    op.drop_index("ix_campaign_cost", "campaign")
    op.drop_index("ix_campaign_name", "campaign")
    for name in (*_KINDS, "file", "file_is_json"):
        op.drop_column("campaign", name)
