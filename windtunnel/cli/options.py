"""Options, output and error reporting that the commands share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from windtunnel.cli import exit_codes, render
from windtunnel.cli.problems import problem_lines
from windtunnel.errors import SpecError

out, err = render.consoles()


ServerOption = Annotated[
    str | None,
    typer.Option("--server", envvar="WINDTUNNEL_SERVER", help="Address of a running service."),
]
DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data", envvar="WINDTUNNEL_DATA", help="Data folder of the service on this machine."
    ),
]
JsonOption = Annotated[
    str | None, typer.Option("--json", help="Write the results to this file as JSON; - is stdout.")
]
MetricOption = Annotated[
    list[str] | None,
    typer.Option("--metric", help="Show this metric; repeat the option for several."),
]
KeepOption = Annotated[
    bool, typer.Option("--keep", help="Exempt the campaign from retention ('windtunnel keep').")
]


def _check_labels(values: list[str] | None) -> list[str]:
    """Refuse what is no label before anything is read or sent. Raises BadParameter."""
    from windtunnel.labels import parse_labels

    _, problems = parse_labels(values or (), "--label")
    if problems:
        raise typer.BadParameter("; ".join(problem.message for problem in problems))
    return values or []


def _check_against(value: str | None) -> str | None:
    """Refuse what names no campaign: nothing, from a variable that is not set, or the baseline."""
    if value is not None and value.strip() in ("", "baseline"):
        raise typer.BadParameter(
            f"{value!r} names no campaign; use an id, or label:NAME=VALUE such as label:branch=main"
        )
    return value


LabelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--label",
        metavar="NAME=VALUE",
        help="Label the campaign, for example branch=main; repeat for several.",
        callback=_check_labels,
    ),
]
BaselineOption = Annotated[
    list[str] | None,
    typer.Option(
        "--baseline",
        metavar="AXIS=LABEL",
        help=(
            "Differences to another baseline than the declared one, such as algorithm=cubic, "
            "without verdicts; repeat for several axes, others keep their declared label."
        ),
    ),
]
AgainstOption = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="CAMPAIGN|label:NAME=VALUE",
        help=(
            "Compare with the matching cells of another campaign: its id, or the newest complete "
            "one of the same name with a label, such as label:branch=main."
        ),
        callback=_check_against,
    ),
]
WithLabelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--label",
        metavar="NAME=VALUE",
        help="Only campaigns with this label; repeat for several.",
        callback=_check_labels,
    ),
]
SimulatorOption = Annotated[str | None, typer.Option("--simulator", help="Only this simulator.")]
FileArgument = Annotated[Path, typer.Argument(help="Campaign file, YAML or JSON; - is stdin.")]


def check_id(value: str | None) -> str | None:
    """Refuse what can't be an id before it becomes part of a path. Raises BadParameter."""
    if value is not None and not value.isalnum():
        raise typer.BadParameter(
            f"{value!r} is not an id (expected at least 4 hex digits)"
            if value
            else "the id is empty; to list campaigns and their ids: windtunnel status"
        )
    return value


CampaignArgument = Annotated[
    str, typer.Argument(help="Campaign id or unique prefix.", callback=check_id)
]
RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="Run id or unique prefix.", callback=check_id)
]
TokenArgument = Annotated[
    str,
    typer.Argument(metavar="ID", help="Token id, as shown by 'token list'.", callback=check_id),
]


@contextmanager
def report_problems(
    file: str | None, outcome: str | None = "nothing was submitted"
) -> Iterator[None]:
    """Print a SpecError's problems as ``file:line: field: message`` and exit.

    The last line counts them, followed by ``outcome``; it is omitted without a file.
    """
    try:
        yield
    except SpecError as error:
        lines = problem_lines(file, error.problems)
        for line in lines:
            err.print(line, markup=False)
        if file:
            count = f"{len(lines)} problem{'s' if len(lines) > 1 else ''}"
            err.print(", ".join(filter(None, (count, outcome))))
        raise typer.Exit(exit_codes.USAGE) from error


def print_out(message: str) -> None:
    """Print a message to stdout."""
    render.print_message(out, message)


def print_err(message: str) -> None:
    """Print a message to stderr."""
    render.print_message(err, message)
