"""The other campaign of a comparison, and labels, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from windtunnel.cli.render import counted, print_message


def print_reference(against: Mapping[str, Any], console: Console) -> None:
    """Print which campaign is compared with, and first what differs between the configurations."""
    labels = f", {label_text(against['labels'])}" if against["labels"] else ""
    time = against["created_at"][:16].replace("T", " ")
    cells = counted(len(against["cells"]), "matching cell")
    print_message(
        console, f"against {against['name']} {against['campaign']} ({time} UTC{labels}), {cells}"
    )
    if not against["differences"]:
        print_message(console, "no difference between the configurations")
    else:
        print_message(console, "what differs between the configurations:")
    for difference in against["differences"]:
        console.print(f"  {difference['text']}", markup=False)
    console.print()


def print_labels(labels: Mapping[str, str], console: Console) -> None:
    """Print a campaign's labels on one line; nothing without any."""
    if labels:
        print_message(console, f"labels: {label_text(labels)}")


def label_text(labels: Mapping[str, str]) -> str:
    """``branch=main commit=1f2e3d``."""
    return " ".join(f"{name}={value}" for name, value in labels.items())
