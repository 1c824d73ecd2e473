"""The command line: all commands, and the mapping from errors to exit codes."""

from __future__ import annotations

import signal
import sys
from typing import Any

import typer

from windtunnel import __version__
from windtunnel.cli import (
    audit,
    cache,
    campaigns,
    exit_codes,
    exporting,
    flows,
    history,
    plotting,
    retention,
    sensitivity,
    serving,
    simulators,
    tokens,
    usage,
    verifying,
)
from windtunnel.cli.options import err
from windtunnel.errors import UnavailableError, WindtunnelError
from windtunnel.validation import message_of

_about = typer.Typer()
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A wind tunnel for TCP congestion control.",
)
app.add_typer(serving.app)
app.add_typer(campaigns.app)
app.add_typer(plotting.app)
app.add_typer(verifying.app)
app.add_typer(simulators.app)
app.add_typer(tokens.app, name="token")
app.add_typer(audit.app)
app.add_typer(usage.app)
app.add_typer(history.app)
app.add_typer(flows.app)
app.add_typer(exporting.app)
app.add_typer(sensitivity.app)
app.add_typer(cache.app, name="cache")
app.add_typer(retention.app)
app.add_typer(_about)


def main() -> None:
    """Entry point: every error becomes a message and an exit code."""
    # A background job of a script inherits SIGINT as ignored; a command that is told to stop stops.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = app(standalone_mode=False)  # the code of typer.Exit
        if code == exit_codes.INTERRUPTED:  # Typer turned a KeyboardInterrupt into it
            raise KeyboardInterrupt
        sys.exit(code)
    except (KeyboardInterrupt, typer.Abort):
        err.print("interrupted")
        sys.exit(exit_codes.INTERRUPTED)
    except UnavailableError as error:
        err.print(str(error), markup=False)
        sys.exit(exit_codes.INFRASTRUCTURE)
    except WindtunnelError as error:
        err.print(str(error), markup=False)
        sys.exit(exit_codes.USAGE)
    except OSError as error:
        err.print(str(error), markup=False)
        sys.exit(exit_codes.INFRASTRUCTURE)
    except typer.TyperException as error:
        _usage(error)
        sys.exit(exit_codes.USAGE)


def _usage(error: Any) -> None:
    invalid = error.__cause__ or error.__context__
    if hasattr(invalid, "errors"):  # of Pydantic, which checks an option's value
        error.message = "; ".join(message_of(entry) for entry in invalid.errors())
    err.print(error.format_message(), markup=False)


@_about.command()
def version() -> None:
    """Print the version."""
    typer.echo(__version__)
