"""The installation, its simulators and workers, and who shares their time."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Index,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from windtunnel.store.tables.base import Base


class Installation(Base):
    """One row: tells this installation from others that share a Docker Engine with it.

    ``protocol`` is what its workers must speak (windtunnel.protocol).
    """

    __tablename__ = "installation"
    id: Mapped[str] = mapped_column(primary_key=True)
    protocol: Mapped[int] = mapped_column(server_default=text("1"))


class Simulator(Base):
    """A build of a simulator that some worker has offered.

    ``installed``: false once a starting service has found that it is gone. ``built_at`` is when it
    was compiled.
    """

    __tablename__ = "simulator"
    digest: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(index=True)
    description: Mapped[dict[str, Any]]
    installed_at: Mapped[datetime]
    installed: Mapped[bool] = mapped_column(server_default=text("true"))
    built_at: Mapped[datetime | None]


class Worker(Base):
    """A worker process that has been heard of lately."""

    __tablename__ = "worker"
    name: Mapped[str] = mapped_column(primary_key=True)
    host: Mapped[str]
    slots: Mapped[int]
    simulators: Mapped[list[str]] = mapped_column(JSONB)
    seen_at: Mapped[datetime]


class Submitter(Base):
    """Whose campaigns and verifications share the workers' time (windtunnel.store.turns).

    ``name`` is that of a token, or empty for what is submitted without one.
    """

    __tablename__ = "submitter"
    name: Mapped[str] = mapped_column(primary_key=True)
    # Numbers from the sequence claim_turn: of its last turn, and the last of its verifications.
    last_turn: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    verification_turn: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))


class CpuUse(Base):
    """CPU time of executions that ended, written by triggers (migration 0011)."""

    __tablename__ = "cpu_use"
    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    submitter: Mapped[str]
    ended_at: Mapped[datetime] = mapped_column(server_default=func.now())
    cpu_seconds: Mapped[float]


Index("ix_cpu_use_ended_at", CpuUse.ended_at)
