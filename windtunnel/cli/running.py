"""``windtunnel run``: submit, follow and compare, on a running service or on one of its own."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from windtunnel.cli import exit_codes, following, planning, render
from windtunnel.cli.gating import Gating
from windtunnel.cli.options import err, print_err, report_problems
from windtunnel.cli.submitting import Submission, cancelled_text, superseded_text
from windtunnel.client.http import HttpClient
from windtunnel.errors import WindtunnelError

if TYPE_CHECKING:
    from windtunnel.embedded.service import EmbeddedService


def interrupted_text(campaign_id: str, options: str) -> str:
    """What a user needs to know after Ctrl-C on a service that continues."""
    return (
        f"interrupted; campaign {campaign_id} continues on the service. To follow or cancel it:\n"
        f"  windtunnel watch {campaign_id}{options}\n"
        f"  windtunnel cancel {campaign_id}{options}"
    )


@dataclass
class RunJob:
    """One campaign from its file to the printed comparison.

    ``out`` gets everything but messages on progress and errors. ``options`` are what commands that
    are suggested to the user need to reach the same service.
    """

    submission: Submission
    metrics: list[str] | None
    json_file: str | None
    out: Console
    options: str
    gating: Gating
    campaign_id: str | None = None
    display: following.ProgressDisplay = field(
        default_factory=lambda: following.ProgressDisplay(err)
    )

    def print_message(self, message: str) -> None:
        render.print_message(self.out, message)

    def run_on(self, client: HttpClient) -> int:
        """Run the campaign on a running service. Returns the exit code."""
        try:
            code = self._run(client)
        except KeyboardInterrupt:
            self.display.close()
            if self.campaign_id:
                print_err(interrupted_text(self.campaign_id, self.options))
            else:
                print_err(
                    "interrupted before the service confirmed the submission. To see whether it "
                    f"arrived:\n  windtunnel status{self.options}"
                )
            return exit_codes.INTERRUPTED
        page = f"/campaigns/{self.campaign_id}"
        # Whoever reads the log of a job must not be signed in by it.
        link = client.sign_in_link(page) if self.out.is_terminal else client.server + page
        self.print_message(f"Look at it:\n  {link}")
        return code

    def detach(self, client: HttpClient) -> int:
        """Submit the campaign and print its id and address. Returns the exit code."""
        campaign = self._submit(client)
        if campaign["superseded"]:
            print_err(superseded_text(campaign))
        if campaign["note"]:
            print_err(campaign["note"])
        self.print_message(f"{campaign['id']}\n{client.server}/campaigns/{campaign['id']}")
        if self.submission.was_cancelled(campaign):
            print_err(cancelled_text(campaign, self.options))
            return exit_codes.RUNS_MISSING
        return 0

    def run_within(self, service: EmbeddedService) -> int:
        """Run the campaign in a thread while the main thread supervises the service's processes.

        Returns the exit code. The service must be stopped afterwards.
        """
        code = exit_codes.INFRASTRUCTURE
        error: Exception | None = None

        def work() -> None:
            nonlocal code, error
            try:
                with HttpClient(service.url, service.token, self.options) as client:
                    code = self._run(client)
            except (WindtunnelError, typer.Exit, OSError) as raised:
                error = raised

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            service.watch(until=lambda: not thread.is_alive())
        except KeyboardInterrupt:
            self.display.close()
            print_err(f"interrupted; {self._kept()}")
            return exit_codes.INTERRUPTED
        except WindtunnelError:
            self.display.close()
            raise
        if error:
            raise error
        return code

    def _kept(self) -> str:
        if self.campaign_id is None:
            return "nothing was submitted"
        return (
            f"campaign {self.campaign_id} and its finished runs are kept. To continue it, and to "
            f"follow it from another terminal:\n  windtunnel serve{self.options}\n"
            f"  windtunnel watch {self.campaign_id}{self.options}"
        )

    def _run(self, client: HttpClient) -> int:
        campaign = self._submit(client)
        following.print_summary(self.out, campaign)
        if campaign["superseded"]:
            self.print_message(superseded_text(campaign))
        if self.submission.was_cancelled(campaign):
            print_err(cancelled_text(campaign, self.options))
            return exit_codes.RUNS_MISSING
        ended = following.follow(client, campaign["id"], err, self.display)
        asked = {} if self.gating.against is None else {"against": self.gating.against}
        gates = None
        if self.gating.enabled and not ended["superseded_by"]:
            with client.retrying(self.print_message):
                ended, gates = self.gating.settle(
                    client, ended, lambda: self._follow_again(client), self.print_message
                )
        code = following.print_results(
            client, ended, self.out, err, self.metrics, self.json_file, gates, asked
        )
        if gates is None:
            return code
        return self.gating.report(gates, ended, self.out, self.options, code)

    def _submit(self, client: HttpClient) -> dict[str, Any]:
        file = self.submission.file
        with report_problems(file.name), client.retrying(print_err):
            if self.metrics:
                planning.check_metrics(client, file, self.metrics)
            self.gating.check_file(client, file)
            campaign = self.submission.send(client)
        self.campaign_id = campaign["id"]
        return campaign

    def _follow_again(self, client: HttpClient) -> dict[str, Any]:
        """Follow the campaign after it was extended, with a new display."""
        self.display = following.ProgressDisplay(err)
        assert self.campaign_id is not None
        return following.follow(client, self.campaign_id, err, self.display)
