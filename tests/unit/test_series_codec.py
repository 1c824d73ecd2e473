"""Series survive storage bit by bit; previews keep spikes."""

import numpy as np

from windtunnel.store.series_codec import (
    PREVIEW_POINTS,
    compress,
    decompress,
    pack_preview,
    unpack_preview,
)


def test_values_read_back_exactly() -> None:
    values = np.array([0, -0.0, 1e-45, 3.4e38, 0.1], dtype=np.float32)
    assert decompress(compress(values)).tobytes() == values.tobytes()
    assert len(decompress(compress(np.array([], dtype=np.float32)))) == 0


def test_a_preview_keeps_a_spike_of_one_sample() -> None:
    values = np.zeros(100_000, dtype=np.float32)
    values[54_321] = 7
    indices, samples = unpack_preview(pack_preview(values))
    assert len(indices) <= PREVIEW_POINTS
    assert 54_321 in indices
    assert samples.max() == 7
    assert (np.diff(indices) > 0).all()


def test_a_short_series_is_its_own_preview() -> None:
    values = np.arange(PREVIEW_POINTS, dtype=np.float32)
    indices, samples = unpack_preview(pack_preview(values))
    assert (indices == np.arange(PREVIEW_POINTS)).all()
    assert (samples == values).all()
