"""The first tables.

Revision: 0001, after None
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "campaign",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("document", postgresql.JSON(astext_type=sa.Text()), nullable=False),
        sa.Column("simulator_name", sa.Text(), nullable=False),
        sa.Column("simulator_digest", sa.Text(), nullable=False),
        sa.Column("replications", sa.Integer(), nullable=False),
        sa.Column("predicted_events", sa.Double(), nullable=False),
        sa.Column("predicted_cpu_seconds", sa.Double(), nullable=False),
        sa.Column("reused_runs", sa.Integer(), nullable=False),
        sa.Column("cancelled", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=True),
        sa.Column("request_digest", sa.Text(), nullable=False),
        sa.Column("last_turn", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign")),
        sa.UniqueConstraint("idempotency_key", name=op.f("uq_campaign_idempotency_key")),
    )
    op.create_index(
        "ix_campaign_created_at",
        "campaign",
        [sa.literal_column("created_at DESC"), sa.literal_column("id DESC")],
        unique=False,
    )
    op.create_table(
        "scenario",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("body", postgresql.JSON(astext_type=sa.Text()), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_scenario")),
    )
    op.create_table(
        "simulator",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", postgresql.JSON(astext_type=sa.Text()), nullable=False),
        sa.Column("installed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_simulator")),
    )
    op.create_index(op.f("ix_simulator_name"), "simulator", ["name"], unique=False)
    op.create_table(
        "worker",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("simulators", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_worker")),
    )
    op.create_table(
        "cell",
        sa.Column("campaign_id", sa.Text(), nullable=False),
        sa.Column("index", sa.Integer(), nullable=False),
        sa.Column("where", postgresql.JSON(astext_type=sa.Text()), nullable=False),
        sa.Column("baseline", sa.Integer(), nullable=True),
        sa.Column("scenario_digest", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_cell_campaign_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["scenario_digest"], ["scenario.digest"], name=op.f("fk_cell_scenario_digest")
        ),
        sa.PrimaryKeyConstraint("campaign_id", "index", name=op.f("pk_cell")),
    )
    op.create_table(
        "run",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("scenario_digest", sa.Text(), nullable=False),
        sa.Column("seed_index", sa.Integer(), nullable=False),
        sa.Column("simulator_name", sa.Text(), nullable=False),
        sa.Column("simulator_digest", sa.Text(), nullable=False),
        sa.Column("duration_ns", sa.BigInteger(), nullable=False),
        sa.Column("predicted_events", sa.Double(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), server_default="", nullable=False),
        sa.Column("attempt", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("first_attempt", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cancel", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("simulated_ns", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("events", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("record_digests", sa.LargeBinary(), nullable=True),
        sa.Column("started", postgresql.JSON(astext_type=sa.Text()), nullable=True),
        sa.Column("about", postgresql.JSON(astext_type=sa.Text()), nullable=True),
        sa.Column("wall_seconds", sa.Double(), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["scenario_digest"], ["scenario.digest"], name=op.f("fk_run_scenario_digest")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
    )
    op.create_index(
        "ix_run_claimable",
        "run",
        ["state"],
        unique=False,
        postgresql_where=sa.text("state IN ('queued', 'running')"),
    )
    op.create_table(
        "attempt",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column(
            "started_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), server_default="", nullable=False),
        sa.Column("stderr", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_attempt_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "number", name=op.f("pk_attempt")),
    )
    op.create_table(
        "campaign_run",
        sa.Column("campaign_id", sa.Text(), nullable=False),
        sa.Column("cell_index", sa.Integer(), nullable=False),
        sa.Column("seed_index", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"],
            ["campaign.id"],
            name=op.f("fk_campaign_run_campaign_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_campaign_run_run_id")),
        sa.PrimaryKeyConstraint(
            "campaign_id", "cell_index", "seed_index", name=op.f("pk_campaign_run")
        ),
    )
    op.create_index(op.f("ix_campaign_run_run_id"), "campaign_run", ["run_id"], unique=False)
    op.create_table(
        "detail",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("index", sa.Integer(), nullable=False),
        sa.Column("fields", postgresql.JSON(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_detail_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "kind", "index", name=op.f("pk_detail")),
    )
    op.create_table(
        "metric",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_metric_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "name", name=op.f("pk_metric")),
    )
    op.create_table(
        "run_check",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("held", sa.Boolean(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_run_check_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "name", name=op.f("pk_run_check")),
    )
    op.create_table(
        "series",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("first_ns", sa.BigInteger(), nullable=False),
        sa.Column("step_ns", sa.BigInteger(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("maximum", sa.Double(), nullable=False),
        sa.Column("mean", sa.Double(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("preview", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_series_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "name", name=op.f("pk_series")),
    )
    op.create_table(
        "verification",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("message", sa.Text(), server_default="", nullable=False),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_verification_run_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_verification")),
    )
    op.create_index(op.f("ix_verification_run_id"), "verification", ["run_id"], unique=False)
    op.execute(sa.schema.CreateSequence(sa.Sequence("claim_turn")))
    # Series are compressed already: keep them out of line and as they are.
    for column in ("data", "preview"):
        op.execute(f"ALTER TABLE series ALTER COLUMN {column} SET STORAGE EXTERNAL")


def downgrade() -> None:
    op.execute(sa.schema.DropSequence(sa.Sequence("claim_turn")))
    op.drop_index(op.f("ix_verification_run_id"), table_name="verification")
    op.drop_table("verification")
    op.drop_table("series")
    op.drop_table("run_check")
    op.drop_table("metric")
    op.drop_table("detail")
    op.drop_index(op.f("ix_campaign_run_run_id"), table_name="campaign_run")
    op.drop_table("campaign_run")
    op.drop_table("attempt")
    op.drop_index(
        "ix_run_claimable",
        table_name="run",
        postgresql_where=sa.text("state IN ('queued', 'running')"),
    )
    op.drop_table("run")
    op.drop_table("cell")
    op.drop_table("worker")
    op.drop_index(op.f("ix_simulator_name"), table_name="simulator")
    op.drop_table("simulator")
    op.drop_table("scenario")
    op.drop_index("ix_campaign_created_at", table_name="campaign")
    op.drop_table("campaign")
