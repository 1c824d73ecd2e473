"""What single values of a file may be, and how many and how large all of them together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from windtunnel.errors import quoted
from windtunnel.spec.characters import control_character
from windtunnel.spec.limits import MAX_CHARACTERS, MAX_DEPTH, MAX_KEY, MAX_VALUES

_LARGEST_EXACT = 2**53 - 1  # whole numbers that JSON readers agree on (RFC 8259, section 6)


class InvalidValueError(Exception):
    """A value that a file may not have, or one too many."""


class InvalidKeyError(InvalidValueError):
    """A key that a mapping may not have."""


@dataclass
class ValueChecks:
    """Checks values in the order of the file and counts them; aliases count as written out.

    All methods raise InvalidValueError.
    """

    values: int = 0
    characters: int = 0

    def value(self, depth: int) -> None:
        """A value of any kind begins, inside ``depth`` others."""
        if depth > MAX_DEPTH:
            raise InvalidValueError(
                f"nested deeper than {MAX_DEPTH} levels; a campaign needs about 6"
            )
        self.add(1, 0)

    def add(self, values: int, characters: int) -> None:
        """Count further values and the characters of their texts."""
        self.values += values
        self.characters += characters
        if self.values > MAX_VALUES:
            raise InvalidValueError(
                f"more than {MAX_VALUES} values once aliases are written out; shorten the lists"
            )
        if self.characters > MAX_CHARACTERS:
            raise InvalidValueError(
                f"more than {MAX_CHARACTERS} characters of text once aliases are written out; "
                "shorten the texts"
            )

    def key(self, key: str) -> None:
        """A mapping's key."""
        self.add(0, len(key))
        if len(key) > MAX_KEY:
            raise InvalidKeyError(
                f"the key {key[:20]!r}... has {len(key)} characters; at most {MAX_KEY} are allowed"
            )
        character = control_character(key)
        if character:
            raise InvalidKeyError(
                f"the key {quoted(key)} contains the control character {character}; remove it"
            )

    def scalar(self, value: Any) -> None:
        """A string, number, boolean or None."""
        if isinstance(value, str):
            self.add(0, len(value))
            character = control_character(value, paragraphs=True)
            if character:
                raise InvalidValueError(f"contains the control character {character}; remove it")
        elif isinstance(value, float) and not math.isfinite(value):
            raise InvalidValueError("the number is too large to be finite")
        elif isinstance(value, int) and abs(value) > _LARGEST_EXACT:
            raise InvalidValueError(
                f"{str(value)[:30]} is too large for an integer; at most 2^53 - 1"
            )
