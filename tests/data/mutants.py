"""Mutants of JSON documents, from a seed: what an enemy, or a bad disk, makes of a file."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

HOSTILE: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    10**30,
    1.5,
    "",
    " ",
    "\x1b[2J",
    "x" * 10_000,
    "__import__('os').system('touch MARK')",
    "../../etc/passwd",
    "evil.py:Evil",
    "(" * 3_000,
    "~" * 3_000 + "a",
    [],
    {},
    [[]],
    {"#map": [[1, 2], [1, 2]]},
    {"#set": [[], {}]},
    {"#bigint": "9" * 5_000},
    {"tag": [], "value": {}},
)

TEXTS = (
    "",
    "NaN",
    "Infinity",
    '{"format": NaN}',
    "[" * 200_000,
    "[" * 50_000 + "]" * 50_000,
    '{"a":' * 50_000 + "1" + "}" * 50_000,
    '"\\ud800"',
    '{"format": 1, "format": 2}',
    "9" * 100_000,
    "\x00",
    "{}",
    "[]",
    "null",
)


def mutant(document: Any, seed: int) -> str:
    """The text of a document with one to three changes, or now and then of none at all."""
    chance = random.Random(seed)
    if chance.random() < 0.03:
        return chance.choice(TEXTS)
    changed = copy.deepcopy(document)
    for _ in range(chance.randint(1, 3)):
        _change(changed, chance)
    text = json.dumps(changed)
    if chance.random() < 0.05:
        cut = chance.randrange(len(text))
        return text[:cut] + chance.choice(("", "\x00", "Infinity", "}}")) + text[cut + 1 :]
    return text


def _change(document: Any, chance: random.Random) -> None:
    holder = document
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            return
        key = chance.choice(keys)
        inside = holder[key]
        if isinstance(inside, dict | list) and inside and chance.random() < 0.8:
            holder = inside
            continue
        break
    match chance.randrange(5):
        case 0 if isinstance(holder, dict):
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.append(copy.deepcopy(chance.choice((inside, *HOSTILE))))
        case 2 if isinstance(inside, int):
            holder[key] = inside + chance.choice((-1, 1, 10**6))
        case 3 if isinstance(inside, str) and inside:
            spot = chance.randrange(len(inside))
            holder[key] = inside[:spot] + chance.choice("~(), 0zé") + inside[spot + 1 :]
        case _:
            holder[key] = copy.deepcopy(chance.choice(HOSTILE))


def mutant_text(text: str, seed: int) -> str:
    """A text with one line lost, doubled, moved or changed."""
    chance = random.Random(seed)
    lines = text.splitlines(keepends=True)
    spot = chance.randrange(len(lines))
    match chance.randrange(5):
        case 0:
            del lines[spot]
        case 1:
            lines.insert(spot, chance.choice(lines))
        case 2:
            lines[spot] = f"{lines[spot].partition('=')[0]}= {chance.choice(_VALUES)}\n"
        case 3:
            lines = lines[:spot]
        case _:
            at = chance.randrange(len(lines[spot]))
            lines[spot] = lines[spot][:at] + chance.choice('"=[]{}#\\0~') + lines[spot][at + 1 :]
    return "".join(lines)


_VALUES = ("1", "-1", "nan", "inf", '""', "[]", "{}", '"../../x"', "true", f"{'[' * 2000}", "1e400")
