"""Values of Arrow arrays as text, column by column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_ROWS_AT_ONCE = 2**13


def slices(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows in batches that are small as text, none of them empty."""
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS_AT_ONCE):
            yield batch.slice(start, _ROWS_AT_ONCE)


def texts(array: pa.Array[Any], encode: Callable[[str], str], missing: str) -> list[str]:
    """Each value as text: strings encoded, numbers by the shortest digits that give them again.

    ``missing`` stands for null, NaN and infinity. Whole numbers of a float column have ``.0``, so
    that readers who guess types from some rows see one type in all.
    """
    if pa.types.is_string(array.type):
        return _strings(array, encode, missing)
    if pa.types.is_floating(array.type):
        finite = pc.if_else(pc.is_finite(array), array, None)
        shortest = finite.cast(pa.string())
        text = pc.replace_substring_regex(shortest, pattern=r"^(-?[0-9]+)$", replacement=r"\1.0")
    else:
        text = array.cast(pa.string())
    values: list[str] = text.fill_null(missing).to_pylist()
    return values


def _strings(array: pa.Array[Any], encode: Callable[[str], str], missing: str) -> list[str]:
    """Encodes each distinct string once."""
    encoded = array.dictionary_encode()
    distinct = [*(encode(str(text)) for text in encoded.dictionary.to_pylist()), missing]
    indices = encoded.indices.fill_null(len(distinct) - 1).to_numpy(zero_copy_only=False)
    values: list[str] = np.array(distinct, dtype=object)[indices].tolist()
    return values
