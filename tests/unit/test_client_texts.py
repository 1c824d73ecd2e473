"""Texts of a service on their way to a terminal."""

from __future__ import annotations

import unicodedata

from windtunnel.client.http import without_controls


def test_no_control_character_reaches_the_terminal() -> None:
    hostile = "".join(map(chr, range(0x250))) + "\u202e\u2066\u2069\u2028"
    shown = without_controls(
        {"\x1b[31mname": [hostile, {"deep": "\x9b2J"}], "count": 3, "no": None}
    )
    assert shown["count"] == 3
    assert shown["no"] is None
    (name,) = [key for key in shown if "name" in key]
    texts = [name, shown[name][0], shown[name][1]["deep"]]
    left = {char for text in texts for char in text if unicodedata.category(char) in ("Cc", "Cf")}
    assert left <= {"\n", "\t", "\xad"}  # a soft hyphen moves nothing
    assert without_controls("Größe ± 3 µs → 5") == "Größe ± 3 µs → 5"
