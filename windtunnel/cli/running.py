"""``windtunnel run``: submit, follow and compare, on a running service or on one of its own."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from windtunnel.cli import exit_codes, following, planning, render
from windtunnel.cli.client import Client
from windtunnel.cli.files import InputFile
from windtunnel.cli.options import err, print_err, report_problems
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

    file: InputFile
    metrics: list[str] | None
    json_file: str | None
    out: Console
    options: str
    campaign_id: str | None = None
    display: following.ProgressDisplay = field(
        default_factory=lambda: following.ProgressDisplay(err)
    )

    def print_message(self, message: str) -> None:
        render.print_message(self.out, message)

    def run_on(self, client: Client) -> int:
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
        link = client.sign_in_link(f"/campaigns/{self.campaign_id}")
        self.print_message(f"Look at it:\n  {link}")
        return code

    def run_within(self, service: EmbeddedService) -> int:
        """Run the campaign in a thread while the main thread supervises the service's processes.

        Returns the exit code. The service must be stopped afterwards.
        """
        code = exit_codes.INFRASTRUCTURE
        error: Exception | None = None

        def work() -> None:
            nonlocal code, error
            try:
                with Client(service.url, service.token, self.options) as client:
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

    def _run(self, client: Client) -> int:
        with report_problems(self.file.name):
            if self.metrics:
                planning.check_metrics(client, self.file, self.metrics)
            campaign = client.submit(self.file)
        self.campaign_id = campaign["id"]
        following.print_summary(self.out, campaign)
        ended = following.follow(client, campaign["id"], err, self.display)
        return following.print_results(client, ended, self.out, err, self.metrics, self.json_file)
