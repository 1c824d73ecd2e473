"""What the command line can do without a service, and starting the embedded one.

Everything heavy is imported when it is needed: the light client has none of it.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from windtunnel.cli.render import table_of
from windtunnel.errors import Problem, SpecError, UnavailableError
from windtunnel.quantities import parse_canonical

if TYPE_CHECKING:
    from windtunnel.embedded.folders import Folders
    from windtunnel.embedded.service import EmbeddedService
    from windtunnel.spec.description import Description

Say = Callable[[str], None]

# Where the catalogue's parts are in a scenario.
PARTS = {
    "algorithms": "algorithm",
    "topologies": "topology",
    "queues": "queue",
    "workloads": "workload",
}


def _folders(data: Path | None) -> Folders:
    try:
        from windtunnel.embedded.folders import Folders, default_data
    except ImportError as error:
        raise _not_installed(error) from error
    return Folders((data or default_data()).resolve())


def _not_installed(error: ImportError) -> UnavailableError:
    return UnavailableError(
        f"this needs windtunnel[local] ({error.name} is missing): "
        "pip install 'windtunnel[local]', or name a server with --server"
    )


def running(data: Path | None) -> str | None:
    """Address of the service that runs on this machine's data folder, if one does."""
    try:
        from windtunnel.embedded.service import running_service
    except ImportError:
        return None
    return running_service(_folders(data))


@contextmanager
def service(
    data: Path | None, say: Say, slots: int | None = None, bind: str = "127.0.0.1"
) -> Iterator[EmbeddedService]:
    """The embedded service, running."""
    try:
        from windtunnel.embedded.service import EmbeddedService
    except ImportError as error:
        raise _not_installed(error) from error
    # Both signals end a service in the same orderly way, also where a shell ignores SIGINT for us.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with EmbeddedService(_folders(data), say, slots, bind) as started:
        yield started


def _program(data: Path | None, say: Say) -> tuple[Path, Description]:
    try:
        from windtunnel.embedded.simulators import build_ns3, newest_simulator
        from windtunnel.simulator import describe
    except ImportError as error:
        raise _not_installed(error) from error
    folders = _folders(data)
    folders.create()
    program = newest_simulator(folders) or build_ns3(folders, say)
    return program, describe([str(program)])


def description(data: Path | None, say: Say) -> dict[str, Any]:
    """What the newest installed simulator offers, in the form of the API's catalogue."""
    _, found = _program(data, say)
    return {**found.raw, "engine": found.engine}


def schema(data: Path | None, say: Say) -> dict[str, Any]:
    """JSON Schema of campaign files."""
    _, found = _program(data, say)
    from windtunnel.spec.campaign import campaign_schema

    return campaign_schema(found.scenario_schema)


def read_run_spec(file: Path) -> dict[str, Any]:
    """A run spec from a file, JSON or YAML. Raises SpecError."""
    from windtunnel.spec import read_json, read_yaml

    read = read_json if file.suffix == ".json" else read_yaml
    spec = read(file.read_bytes()).value
    if not isinstance(spec, dict) or not isinstance(spec.get("scenario"), dict):
        raise SpecError(
            [Problem("scenario", "missing; a run spec has simulator, seed_index, scenario")]
        )
    return spec


def simulate(
    spec: Mapping[str, Any], data: Path | None, say: Say, pcap: tuple[str, Path] | None = None
) -> str | None:
    """Execute a run spec, records to stdout; what went wrong, or None. Raises SpecError.

    ``pcap`` names a port and the file that its packets are to be captured in.
    """
    program, found = _program(data, say)
    from windtunnel.simulator import Limits, ProcessLauncher

    resolved, problems = found.resolver().resolve(spec.get("scenario"))
    seed_index = spec.get("seed_index", 1)
    if isinstance(seed_index, bool) or not isinstance(seed_index, int) or seed_index < 1:
        problems.append(Problem("seed_index", f"{seed_index!r} is not a whole number from 1"))
    if spec.get("simulator", found.name) != found.name:
        problems.append(Problem("simulator", f"only {found.name!r} is installed here"))
    if problems:
        raise SpecError(problems)
    whole = {"simulator": found.name, "seed_index": seed_index, "scenario": resolved}

    def print_line(line: bytes) -> None:
        sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()

    capture = ["--pcap", pcap[0], str(pcap[1].resolve())] if pcap else []
    launcher = ProcessLauncher([str(program), *capture], found)
    limits = Limits(wall_seconds=24 * 3600, file_bytes=2**40 if pcap else 0)
    outcome = launcher.run(whole, limits, sink=print_line)
    if outcome.stderr:
        sys.stderr.write(outcome.stderr)
    return outcome.message if outcome.result is None else None


def print_catalogue(out: Console, simulator: Mapping[str, Any], part: str | None) -> None:
    """Tables of one part, or of all. Raises LookupError for a part that there isn't."""
    known = [*PARTS, "metrics"]
    if part is not None and part not in known:
        raise LookupError(f"{part!r} is none of {', '.join(known)}")
    out.print(f"{simulator['name']}: {simulator['title']}, {simulator['engine']}")
    for name in known if part is None else [part]:
        out.print()
        if name == "metrics":
            metrics = [
                (m["name"], m["unit"], m["direction"], m["definition"])
                for m in simulator["metrics"]
            ]
            out.print(table_of(("metric", "unit", "better", "definition"), metrics))
        else:
            choices = _choices(simulator["scenario"], PARTS[name])
            rows = [(c["title"], _parameters(c), _sentence(c)) for c in choices]
            out.print(table_of((PARTS[name], "parameters (default)", "what it is"), rows))


def _choices(scenario: Mapping[str, Any], part: str) -> list[Mapping[str, Any]]:
    """The kinds of a part, of the scenario or (``queue``) of its first topology that has one."""
    inner = [one["properties"] for one in scenario["properties"]["topology"].get("oneOf", [])]
    for properties in (scenario["properties"], *inner):
        if part in properties:
            found: list[Mapping[str, Any]] = properties[part].get("oneOf", [])
            return found
    return []


def _parameters(choice: Mapping[str, Any]) -> str:
    return "\n".join(
        f"{name} ({_default(schema['default'])})" if "default" in schema else name
        for name, schema in choice["properties"].items()
        if name != "kind"
    )


def _default(value: Any) -> str:
    quantity = parse_canonical(value) if isinstance(value, str) else None
    if quantity:
        return quantity.readable()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return str(value.get("kind", "see schema"))
    return "none" if value is None else str(value)


def _sentence(choice: Mapping[str, Any]) -> str:
    source = f" [{choice['x-source']}]" if "x-source" in choice else ""
    return f"{choice['description']}{source}"
