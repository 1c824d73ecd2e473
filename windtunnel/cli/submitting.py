"""Submitting a campaign file: its options, and what the user is told about the result."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from windtunnel.client.files import InputFile
from windtunnel.client.http import HttpClient
from windtunnel.errors import RefusedError

_KEY = re.compile(r"[!-~]{1,200}", re.ASCII)


def _check_key(value: str | None) -> str | None:
    """Refuse what is no HTTP header before anything is sent. Raises BadParameter."""
    if value is not None and not _KEY.fullmatch(value):
        raise typer.BadParameter(
            f"{value!r} is not a key; use 1 to 200 ASCII letters, digits and punctuation marks"
        )
    return value


SupersedeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--supersede",
        metavar="NAME",
        help=(
            "Cancel your unfinished campaigns of the same name and with the same value of this "
            "label, for example branch; repeat the option: all of them must be the same."
        ),
    ),
]
IdempotencyKeyOption = Annotated[
    str | None,
    typer.Option(
        "--idempotency-key",
        metavar="KEY",
        envvar="WINDTUNNEL_IDEMPOTENCY_KEY",
        help="Submit once per key: a job that runs again finds its campaign.",
        callback=_check_key,
    ),
]
DetachOption = Annotated[
    bool, typer.Option("--detach", help="Print the campaign's id and address, and don't follow it.")
]


@dataclass(frozen=True)
class Submission:
    """A campaign file and what is submitted with it.

    ``keep`` exempts it from retention. ``labels`` are added to the file's. ``supersede`` names
    those by which older campaigns are cancelled. With an ``idempotency_key`` that was used before,
    the campaign of that submission is found.
    """

    file: InputFile
    keep: bool = False
    labels: Sequence[str] = ()
    supersede: Sequence[str] = ()
    idempotency_key: str | None = None

    def send(self, client: HttpClient) -> dict[str, Any]:
        """The new campaign, or the one of this key. Raises as the client does."""
        return client.submit(
            self.file,
            keep=self.keep,
            labels=self.labels,
            supersede=self.supersede,
            idempotency_key=self.idempotency_key,
        )

    def was_cancelled(self, campaign: Mapping[str, Any]) -> bool:
        """Whether an earlier submission with this key was cancelled since."""
        return self.idempotency_key is not None and campaign["state"] == "cancelled"


def superseded_text(campaign: Mapping[str, Any]) -> str:
    """The campaigns that were cancelled for a submitted one, a line each."""
    return "\n".join(f"cancelled {id_}, superseded by this one" for id_ in campaign["superseded"])


def cancelled_text(campaign: Mapping[str, Any], options: str) -> str:
    """For a submission whose key finds a cancelled campaign."""
    id_, by = campaign["id"], campaign["superseded_by"]
    reason = f"was superseded by {by}" if by else "was cancelled"
    return (
        f"campaign {id_} of this idempotency key {reason}. To resume it:\n"
        f"  windtunnel resume {id_}{options}"
    )


def check_detached(following: Mapping[str, object]) -> None:
    """Raise RefusedError for options, by name, that need the campaign's results."""
    for option, value in following.items():
        if value:
            raise RefusedError(
                "invalid_request",
                f"{option} needs the campaign's results; leave out --detach or {option}",
            )
