"""Encoding of series: zstd-compressed little-endian float32; previews keep bucket extremes."""

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


def preview_indices(values: NDArray[np.float32], points: int = PREVIEW_POINTS) -> NDArray[np.int64]:
    """Indices of at most ``points`` values: minimum and maximum of each of half as many buckets.

    Unlike taking every nth value, this preserves spikes of a single sample.
    """
    if len(values) <= points:
        return np.arange(len(values))
    edges = np.linspace(0, len(values), points // 2 + 1).astype(np.int64)
    selected: set[int] = set()
    for start, end in pairwise(edges):
        bucket = values[start:end]
        selected.add(int(start + bucket.argmin()))
        selected.add(int(start + bucket.argmax()))
    return np.array(sorted(selected), dtype=np.int64)


def pack_preview(values: NDArray[np.float32]) -> bytes:
    """Compress a preview: its indices (uint32) followed by its values (float32)."""
    indices = preview_indices(values)
    body = indices.astype("<u4").tobytes() + values[indices].astype("<f4").tobytes()
    return zstandard.ZstdCompressor(level=_LEVEL).compress(body)


def unpack_preview(data: bytes) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    raw = zstandard.ZstdDecompressor().decompress(data, max_output_size=2**31)
    half = len(raw) // 2
    return np.frombuffer(raw[:half], "<u4").astype(np.int64), np.frombuffer(raw[half:], "<f4")
