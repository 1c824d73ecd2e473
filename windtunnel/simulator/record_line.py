"""One line of a record stream as a value that every later step can store and print.

JSON allows more than PostgreSQL, UTF-8 and other readers of the results do. What they could not
take is refused here, so that it is reported with its line.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

MAX_DEPTH = 32
MAX_FIELDS = 256


def parse_record(line: bytes) -> dict[str, Any]:
    """Parse a line without its newline into a record, which has a ``type``. Raises ValueError."""
    record = _parse_json(line)
    if b"\\u" in line:
        _check_escapes(line, record)
    if line.count(b"[") + line.count(b"{") > MAX_DEPTH and _depth(record) > MAX_DEPTH:
        raise ValueError(f"objects and arrays must not be nested more than {MAX_DEPTH} deep")
    if not isinstance(record, dict) or not isinstance(record.get("type"), str):
        raise ValueError("a record must be an object with a 'type'")
    if len(record) > MAX_FIELDS:
        raise ValueError(f"a record has at most {MAX_FIELDS} fields, not {len(record)}")
    return record


def _parse_json(line: bytes) -> Any:
    try:
        # Decoded here: json.loads would also accept UTF-16, UTF-32 and encoded surrogates.
        return json.loads(
            line.decode(), parse_constant=_reject_constant, parse_float=_finite, parse_int=_int64
        )
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {line[:80]!r}") from error


def _check_escapes(line: bytes, record: Any) -> None:
    if b"\\u0000" in line:
        raise ValueError("a NUL character is not allowed")
    try:
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        raise ValueError(f"a lone surrogate (\\u{code:04x}) is not allowed") from error


def _depth(value: Any) -> int:
    """Depth of nested objects and arrays; 0 for a plain value."""
    depth, level = 0, [value]
    while level := [item for item in level if isinstance(item, dict | list)]:
        depth += 1
        level = [
            child for item in level for child in (item.values() if isinstance(item, dict) else item)
        ]
    return depth


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a finite number")
    return value


def _int64(text: str) -> int:
    value = int(text) if len(text) < 21 else 2**63
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"{text[:30]} does not fit in a signed 64-bit integer")
    return value


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a finite number")
