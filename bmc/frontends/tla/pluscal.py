"""Whether a translation of PlusCal is what the translator wrote, by the checksum beside it."""

from __future__ import annotations

import re
from zlib import crc32

_BEGIN = re.compile(r"BEGIN +TRANSLATION(?:.*chksum\(tla\)\s*=\s*\"([0-9a-fA-F]+)\")?")
_ALGORITHM = re.compile(r"--(?:fair +)?algorithm\b")
_END = re.compile(r"END +TRANSLATION")


def edited_translation(text: str) -> int | None:
    """Return the line where a translation begins that has another checksum than is written there.

    None where they are the same, and where a text has no translation or none with a checksum. It
    is that of the lines in between, without their ends. What is written there of the algorithm
    itself is a checksum of the translator's own tree of it, and is not known here.
    """
    lines = re.split(r"\r\n|\r|\n", text)
    begin = next((n for n, line in enumerate(lines) if _BEGIN.search(line)), None)
    if begin is None:
        return None
    said = _BEGIN.search(lines[begin])
    end = next((n for n in range(begin + 1, len(lines)) if _END.search(lines[n])), None)
    if said is None or said[1] is None or end is None:
        return None
    found = crc32("".join(lines[begin + 1 : end]).encode())
    return None if found == int(said[1], 16) else begin + 1


def untranslated(text: str) -> bool:
    """Tell whether a text has an algorithm in PlusCal and no translation of it."""
    return _ALGORITHM.search(text) is not None and _BEGIN.search(text) is None
