"""``--gate``: evaluate gates, extend the campaign while they ask for it, report, and decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from windtunnel.cli import exit_codes, gate_reports, gate_text, report
from windtunnel.cli.options import report_problems
from windtunnel.client.files import InputFile
from windtunnel.client.http import HttpClient
from windtunnel.errors import RefusedError, SpecError

GateOption = Annotated[
    bool, typer.Option("--gate", help="Exit with 1 unless all gates of the campaign pass.")
]
GatesFileOption = Annotated[
    Path | None, typer.Option("--gates", help="Evaluate the gates in this file; implies --gate.")
]
JunitOption = Annotated[
    str | None, typer.Option("--junit", help="Write the gates to this file as JUnit XML.")
]
MarkdownOption = Annotated[
    str | None, typer.Option("--markdown", help="Write the gates to this file as Markdown.")
]

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Gating:
    """What ``--gate`` and its companions ask for. ``file`` has gates other than the campaign's.

    ``against``: another campaign that takes the place of the baseline.
    """

    enabled: bool
    file: InputFile | None = None
    junit: str | None = None
    markdown: str | None = None
    against: str | None = None

    def check(self) -> None:
        """Raise RefusedError if a report can't be written, or has no gates to report."""
        for option, target in (("--junit", self.junit), ("--markdown", self.markdown)):
            if target and not self.enabled:
                raise RefusedError("invalid_request", f"{option} reports gates; add --gate")
            report.check_target(target, option)

    def check_file(self, client: HttpClient, file: InputFile) -> None:
        """Raise RefusedError if a campaign file has no gates, or names a campaign that isn't there.

        Submits nothing.
        """
        if not self.enabled and self.against is None:
            return
        plan = client.submit(file, dry_run=True)
        if self.enabled and not plan["gates"]:
            raise RefusedError(
                "invalid_request", f"--gate: {file.name} has no gates; add the field gates"
            )
        for reference in plan["references"] if self.against is None else [self.against]:
            try:
                client.get("/references", against=reference, name=plan["name"])
            except RefusedError as error:
                message = f"nothing was submitted: against {reference}: {error}"
                raise RefusedError(error.code, message) from error

    def evaluate(self, client: HttpClient, campaign_id: str) -> dict[str, Any]:
        """Evaluate the file's gates, or the campaign's own. Exits for problems in the file.

        Raises RefusedError if gates are asked for and the campaign has none.
        """
        if self.file is not None:
            with report_problems(self.file.name, outcome=None):
                return client.evaluate(campaign_id, self.file, self.against)
        asked = {} if self.against is None else {"against": self.against}
        gates = client.get(f"/campaigns/{campaign_id}/gates", **asked)
        if self.enabled and not gates["gates"]:
            raise RefusedError(
                "invalid_request",
                f"--gate: campaign {gates['campaign']} has no gates; name a file of gates by "
                "--gates",
            )
        return gates

    def settle(
        self,
        client: HttpClient,
        ended: dict[str, Any],
        follow: Callable[[], dict[str, Any]],
        on_message: Callable[[str], None],
    ) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Evaluate the gates of an ended campaign, and extend it as long as they ask for that.

        Returns the campaign and the gates; None for a campaign that was superseded meanwhile.
        """
        gates = self.evaluate(client, ended["id"])
        while self.enabled and gates["status"] == "extend":
            replications = gates["extend_to"]
            on_message(f"undecided gates: extending to {replications} replications")
            try:
                client.extend(ended["id"], replications)
            except (RefusedError, SpecError) as error:
                on_message(f"not extended: {error}")
                break
            ended = follow()
            if ended["superseded_by"]:
                return ended, None
            gates = self.evaluate(client, ended["id"])
        return ended, gates

    def report(
        self, gates: Json, campaign: Json, out: Console, options: str, runs_code: int = 0
    ) -> int:
        """Print and write the gates. Returns the exit code; ``runs_code`` is that of the runs."""
        gate_text.print_gates(gates, out, options)
        for target, write in (
            (self.junit, gate_reports.junit),
            (self.markdown, gate_reports.markdown),
        ):
            if target:
                report.write_text(target, write(gates, campaign["name"]))
        gate_reports.annotate(gates, out)
        gate_reports.append_summary(gates, campaign["name"])
        return exit_code(gates, runs_code)


def exit_code(gates: Json, runs_code: int) -> int:
    """1 if a gate does not pass because of the results, 4 if only because runs are missing."""
    if gates["status"] in gate_text.PASSING:
        return runs_code
    blocking = [
        cell for result, cell in gate_text.results(gates) if gate_reports.blocks(result, cell)
    ]
    if blocking and all(cell["runs_missing"] and not cell["waiting"] for cell in blocking):
        return exit_codes.RUNS_MISSING
    return exit_codes.ANSWER_IS_NO
