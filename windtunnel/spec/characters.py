"""Characters that no text of a campaign may have."""

from __future__ import annotations

import unicodedata

# Control and format characters (bidirectional overrides, terminal escapes), unpaired surrogates,
# line and paragraph separators: they change how other text is shown, or can't be stored.
_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
_IN_PARAGRAPHS = frozenset("\n\t")


def control_character(text: str, *, paragraphs: bool = False) -> str | None:
    """The first control character of a text, such as ``U+202E (RIGHT-TO-LEFT OVERRIDE)``.

    ``paragraphs`` allows line feeds and tabs.
    """
    if text.isprintable():  # none of the categories, and fast
        return None
    allowed = _IN_PARAGRAPHS if paragraphs else frozenset()
    for character in text:
        if character not in allowed and unicodedata.category(character) in _CATEGORIES:
            name = unicodedata.name(character, "")
            return f"U+{ord(character):04X}" + (f" ({name})" if name else "")
    return None
