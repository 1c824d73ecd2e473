"""Series as bytes: zstd over little-endian float32; previews keep each bucket's extremes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import zstandard
from numpy.typing import NDArray

PREVIEW_POINTS = 2000
_LEVEL = 3


def compress(values: NDArray[np.float32]) -> bytes:
    return zstandard.ZstdCompressor(level=_LEVEL).compress(values.astype("<f4").tobytes())


def decompress(data: bytes) -> NDArray[np.float32]:
    raw = zstandard.ZstdDecompressor().decompress(data, max_output_size=2**31)
    return np.frombuffer(raw, dtype="<f4")


def preview_indices(values: NDArray[np.float32]) -> NDArray[np.int64]:
    """Indices of at most PREVIEW_POINTS values: least and largest of each of 1,000 buckets.

    A spike of one sample is still there, which a plain every-nth pick would lose.
    """
    if len(values) <= PREVIEW_POINTS:
        return np.arange(len(values))
    edges = np.linspace(0, len(values), PREVIEW_POINTS // 2 + 1).astype(np.int64)
    chosen: set[int] = set()
    for begin, end in pairwise(edges):
        bucket = values[begin:end]
        chosen.add(int(begin + bucket.argmin()))
        chosen.add(int(begin + bucket.argmax()))
    return np.array(sorted(chosen), dtype=np.int64)


def pack_preview(values: NDArray[np.float32]) -> bytes:
    """Indices (uint32) then values (float32) of the preview, compressed together."""
    indices = preview_indices(values)
    body = indices.astype("<u4").tobytes() + values[indices].astype("<f4").tobytes()
    return zstandard.ZstdCompressor(level=_LEVEL).compress(body)


def unpack_preview(data: bytes) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    raw = zstandard.ZstdDecompressor().decompress(data, max_output_size=2**31)
    half = len(raw) // 2
    return np.frombuffer(raw[:half], "<u4").astype(np.int64), np.frombuffer(raw[half:], "<f4")
