"""The command that draws a figure again."""

from __future__ import annotations

import shlex
from dataclasses import fields

from windtunnel.plot.request import PlotRequest

# Options whose name is not the field's.
_NAMES = {"start": "from", "end": "to", "x_title": "x-title", "y_title": "y-title"}


def command(campaign_id: str, request: PlotRequest, output: str = "figure.pdf") -> str:
    """``windtunnel plot 504d456725 --x servers -o figure.pdf``, quoted for a shell."""
    words = ["windtunnel", "plot", campaign_id]
    for field in fields(request):
        value = getattr(request, field.name)
        if value == field.default:
            continue
        for member in value if isinstance(value, tuple) else (value,):
            text = f"{member:g}" if isinstance(member, float) else str(member)
            words += _option(_NAMES.get(field.name, field.name), text)
    return shlex.join([*words, "-o", output])


def _option(name: str, text: str) -> list[str]:
    """A value that begins with a dash would be read as an option."""
    return [f"--{name}={text}"] if text.startswith("-") else [f"--{name}", text]
