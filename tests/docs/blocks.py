"""Fenced blocks of the documentation, and a shell and a terminal to run them in."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT

_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_END = "end of command, exit code "


@dataclass(frozen=True)
class Block:
    """A fenced block. ``page`` is relative to the checkout."""

    page: str
    language: str
    text: str

    @property
    def first_line(self) -> str:
        return self.text.splitlines()[0]

    def commands(self) -> list[str]:
        """Commands of a shell block, lines that end in a backslash joined."""
        joined = re.sub(r"\\\n\s*", "", self.text)
        return [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def pages() -> list[Path]:
    """README.md and the pages of docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks() -> list[Block]:
    return [
        Block(str(page.relative_to(ROOT)), language, text)
        for page in pages()
        for language, text in _FENCED.findall(page.read_text(encoding="utf-8"))
    ]


def block(page: str, first_line: str) -> Block:
    """The block of a page whose first line begins like this."""
    (found,) = [b for b in blocks() if b.page == page and b.first_line.startswith(first_line)]
    return found


class Shell:
    """A bash that keeps its variables between commands. curl fails on an HTTP error."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            ["bash"],
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.run('curl() { command curl --fail-with-body --max-time 60 "$@"; }')

    def run(self, command: str) -> str:
        """A command's output; an AssertionError if it fails."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{command}\nprintf '\\n{_END}%s\\n' $?\n")
        self._process.stdin.flush()
        lines: list[str] = []
        while not (line := self._process.stdout.readline()).startswith(_END):
            assert line, f"bash ended: {command}"
            lines.append(line)
        output = "".join(lines).removesuffix("\n")
        assert line == f"{_END}0\n", f"{command}\n{output}"
        return output

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def in_terminal(command: list[str], columns: int, environment: Mapping[str, str]) -> str:
    """What a command prints on a terminal of this width, without its progress bar."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        command,
        cwd=environment["PWD"],
        env={**os.environ, **environment, "TERM": "xterm"},
        stdout=slave,
        stderr=subprocess.DEVNULL,
    )
    os.close(slave)
    output = b""
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:  # the process has ended
            break
        if not chunk:
            break
        output += chunk
    os.close(master)
    assert process.wait() == 0, output
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", output.decode()).replace("\r\n", "\n")
