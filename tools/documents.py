"""Generate the pages of docs/ that derive from ``describe``; tests compare them with it.

.venv/bin/python -m tools.documents
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from windtunnel.embedded.folders import Folders, default_data
from windtunnel.embedded.simulators import newest_simulator
from windtunnel.quantities import parse_canonical
from windtunnel.simulator import describe
from windtunnel.spec.description import Description

DOCS = Path(__file__).resolve().parent.parent / "docs"


def algorithms_page(ns3: Description) -> str:
    """docs/algorithms.md: every algorithm with its formula, source and parameters."""
    choices = ns3.choices("algorithm")
    lines = [
        "# Algorithms",
        "",
        "All congestion control algorithms that a spec can name. This page is generated from the",
        "ns-3 simulator's self-description (`windtunnel catalogue algorithms`). Parameters are set",
        "next to the kind: `algorithm: {kind: vegas, Alpha: 1, Beta: 3}`. Windows *w* are in",
        "segments; *RTT* is the round-trip time.",
        "",
        "| algorithm | category | formula | source |",
        "|---|---|---|---|",
    ]
    for choice in choices:
        cells = (choice["x-category"], f"`{choice['x-formula']}`", choice["x-source"])
        lines.append(f"| [`{choice['title']}`](#{choice['title']}) | {' | '.join(cells)} |")
    for choice in choices:
        lines += ["", *_section(choice)]
    return "\n".join(lines) + "\n"


def _section(choice: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {choice['title']}"
    yield ""
    yield f"{choice['description']} Type: `{choice['x-ns3-type']}`."
    parameters = {name: schema for name, schema in choice["properties"].items() if name != "kind"}
    if parameters:
        yield ""
        yield "| parameter | default | unit | range | meaning |"
        yield "|---|---|---|---|---|"
    for name, schema in parameters.items():
        cells = (_text(schema["default"]), _unit(schema), _range(schema), schema["description"])
        yield f"| `{name}` | " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _text(value: Any) -> str:
    quantity = parse_canonical(value) if isinstance(value, str) else None
    if quantity:
        return quantity.readable()
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _unit(schema: Mapping[str, Any]) -> str:
    return str(schema.get("x-unit", schema.get("x-quantity", "")))


def _range(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    low = schema.get("minimum", schema.get("x-minimum"))
    high = schema.get("maximum", schema.get("x-maximum"))
    if low is None and high is None:
        return ""
    return f"{'' if low is None else low} to {'' if high is None else high}".strip()


def metrics_rows(ns3: Description) -> Iterator[str]:
    """The table of docs/metrics.md."""
    for metric in ns3.metrics:
        cells = (metric.unit or "1", metric.direction, metric.definition)
        yield f"| `{metric.name}` | " + " | ".join(cells) + " |"


def main() -> None:
    program = newest_simulator(Folders(default_data()))
    assert program is not None, "make setup-test builds the simulator"
    ns3 = describe([str(program)])
    (DOCS / "algorithms.md").write_text(algorithms_page(ns3), encoding="utf-8")
    metrics = DOCS / "metrics.md"
    lines = metrics.read_text(encoding="utf-8").splitlines()
    rows = [i for i, line in enumerate(lines) if line.startswith("| `")]
    lines[rows[0] : rows[-1] + 1] = metrics_rows(ns3)
    metrics.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
