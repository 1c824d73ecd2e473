"""The format of a cache file: lines of JSON, compressed with zstd, and their digest at the end.

The first line is the header, each further one ``[kind, fields]``, and the last one has the number
and the SHA-256 of all lines before it, so that a file that was cut off or changed is recognized.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, BinaryIO

import zstandard

from windtunnel.errors import DamagedFileError, OtherVersionError

FORMAT = 1

_MAGIC = "windtunnel-cache"
_END = "end"
_LEVEL = 3


class CacheWriter:
    """Writes entries to an open file. Without ``close`` the file counts as damaged."""

    def __init__(self, out: BinaryIO, schema: str) -> None:
        self._stream = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).stream_writer(
            out, closefd=False
        )
        self._digest = hashlib.sha256()
        self._lines = 0
        self._write({_MAGIC: FORMAT, "schema": schema})

    def write(self, kind: str, fields: Mapping[str, Any]) -> None:
        """Append an entry. Bytes become base64, times ISO 8601."""
        self._write([kind, fields])

    def close(self) -> None:
        """Write the digest and finish the file."""
        self._write([_END, {"lines": self._lines, "sha256": self._digest.hexdigest()}])
        self._stream.flush(zstandard.FLUSH_FRAME)

    def _write(self, content: Any) -> None:
        line = json.dumps(content, separators=(",", ":"), default=_text).encode() + b"\n"
        self._digest.update(line)
        self._lines += 1
        self._stream.write(line)


def read_cache(source: BinaryIO, schema: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the entries of a file. Only after the last one it is known that none is damaged.

    ``schema`` is the version of the tables that the entries are for. Raises DamagedFileError,
    OtherVersionError.
    """
    digest = hashlib.sha256()
    count = 0
    for line in _lines(source):
        content = _parsed(line)
        if count == 0:
            _check_header(content, schema)
        elif isinstance(content, list) and content[:1] == [_END]:
            if content[1:] != [{"lines": count, "sha256": digest.hexdigest()}]:
                raise DamagedFileError("its content does not have the digest that it should have")
            return
        elif isinstance(content, list) and len(content) == 2 and isinstance(content[1], dict):
            yield str(content[0]), content[1]
        else:
            raise DamagedFileError(f"line {count + 1} is no entry")
        digest.update(line)
        count += 1
    raise DamagedFileError("it is cut off" if count else "it is empty or cut off")


def _lines(source: BinaryIO) -> Iterator[bytes]:
    rest = b""
    try:
        with zstandard.ZstdDecompressor().stream_reader(source, closefd=False) as stream:
            while chunk := stream.read(1 << 20):
                *lines, rest = (rest + chunk).split(b"\n")
                yield from (line + b"\n" for line in lines)
    except zstandard.ZstdError as error:
        raise DamagedFileError(f"it can't be decompressed ({error})") from error
    if rest:
        yield rest


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DamagedFileError("a line of it is not JSON, or it is cut off") from error


def _check_header(header: Any, schema: str) -> None:
    if not isinstance(header, dict) or _MAGIC not in header:
        raise DamagedFileError("it is not a file of 'windtunnel cache save'")
    if (header[_MAGIC], header.get("schema")) != (FORMAT, schema):
        raise OtherVersionError("another version of windtunnel has saved it")


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value)} has no place in a cache file")
