"""What a text of TLA+ is called: `Spec.tla`, and behind an `@` how it is configured."""

from __future__ import annotations

import re


def text_parted(name: str) -> tuple[str, str, str]:
    """Return a name's file, its `@` and what stands behind it, as ``str.partition`` does.

    A folder may have an `@` in its name, so it is the one behind `.tla` that counts. A name that
    is none of a text comes back whole.
    """
    found = re.fullmatch(r"(.*?\.tla)(?:(@)(.*))?", name, re.DOTALL)
    return (found[1], found[2] or "", found[3] or "") if found else (name, "", "")
