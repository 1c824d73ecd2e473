"""Messages for values that Pydantic refuses: what is wrong, and what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from windtunnel.errors import quoted


def message_of(error: Mapping[str, Any]) -> str:
    """The message for an entry of ``ValidationError.errors()``."""
    kind, value, limits = error["type"], error.get("input"), error.get("ctx", {})
    if kind == "missing":
        return "missing"
    if kind in _NOT_OF_TYPE:
        return f"{quoted(value)} {_NOT_OF_TYPE[kind]}"
    if kind in _OUT_OF_RANGE:
        return _OUT_OF_RANGE[kind](quoted(value), limits)
    text: str = error["msg"]
    return text.removeprefix("Value error, ")


_NOT_OF_TYPE = {
    "bool_parsing": "is neither true nor false",
    "bool_type": "is neither true nor false",
    "int_from_float": "is not a whole number",
    "int_parsing": "is not a whole number",
    "int_parsing_size": "is too large",
    "int_type": "is not a whole number",
    "string_type": "is not a string",
    "dict_type": "is not a mapping of fields",
    "model_attributes_type": "is not a mapping of fields",
    "model_type": "is not a mapping of fields",
}

_OUT_OF_RANGE: Mapping[str, Callable[[str, Mapping[str, Any]], str]] = {
    "greater_than_equal": lambda value, limits: f"{value} is out of range; at least {limits['ge']}",
    "less_than_equal": lambda value, limits: f"{value} is out of range; at most {limits['le']}",
    "string_too_long": lambda _, limits: f"is longer than {limits['max_length']} characters",
    "string_pattern_mismatch": lambda value, limits: (
        f"{value} does not have the form {limits['pattern']}"
    ),
    "enum": lambda value, limits: (
        f"{value} is not one of {limits['expected'].replace(' or ', ', ')}"
    ),
}
