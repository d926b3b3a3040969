"""What docs/performance.md says in tables, from what is kept in docs/performance.json.

Nothing is measured here. Each part of what is kept is the document of one measuring script: its
header and its rows. A part that was not measured says so in the place of its table, and a target
without a measurement is not met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import beside_commit
import disk_exploration
import explicit_search
import peers
from whole_process import PARAMETERS

Part = dict[str, Any]
Kept = Mapping[str, Part]

ABSENT = "Not measured."
LARGEST_MB = 2048


def tables(kept: Kept) -> dict[str, str]:
    """Each block of the page by its name, as Markdown."""
    return {
        "slower": "\n".join(slower(kept)),
        "machine": "\n".join(_machine(kept)),
        "peers": _measured(kept, "peers", lambda part: peers.text(part["rows"])),
        "explicit": _measured(kept, "explicit", lambda part: explicit_search.text(part["rows"])),
        "disk": _measured(kept, "disk", lambda part: disk_exploration.text(part["rows"])),
        "before": _measured(kept, "before", lambda part: beside_commit.text(part["rows"])),
        "prove": _measured(kept, "prove", _prove),
        "growth": _measured(kept, "prove", _growth),
        "ic3": _measured(kept, "ic3", _ic3),
        "start_up": _measured(kept, "start_up", _start_up),
        "targets": "\n".join(_targets(kept)),
    }


def _measured(kept: Kept, name: str, text: Callable[[Part], Iterator[str]]) -> str:
    if not kept.get(name, {}).get("rows"):
        return ABSENT
    part = kept[name]
    return "\n".join([f"    {part['command']}", "", *text(part)])


def _machine(kept: Kept) -> Iterator[str]:
    """Where and when each part was measured, and with what."""
    yield "| part | date | processor | load before and after | versions and options |"
    yield "|---|---|---|---|---|"
    for name, part in kept.items():
        head = dict(part["header"])
        first = [str(head.pop(key, "-")) for key in ("date", "processor")]
        load = f"{head.pop('load', '-')} / {head.pop('load at the end', '-')}"
        rest = ", ".join(f"{key} {value}" for key, value in head.items())
        yield f"| {' | '.join([name, *first, load, rest])} |"


def slower(kept: Kept) -> Iterator[str]:
    """Where a peer that does the same ended before `bmc`, by the clock or by processor time."""
    if not kept.get("peers", {}).get("rows"):
        yield ABSENT
        return
    rows = kept["peers"]["rows"]
    found = [line for row in rows if row.get("like") for line in _compared(row, rows)]
    found += [line for row in kept.get("explicit", {}).get("rows", ()) for line in _explored(row)]
    yield from found or ["- None of the peers measured was faster in this run."]
    absent = [f"{row['peer']} ({row['question']})" for row in rows if not row["runs"]]
    if absent:
        yield f"- Nothing is said of what was not given: {', '.join(absent)}."


def _compared(row: Part, rows: list[Part]) -> Iterator[str]:
    """What there is to say of a peer and the row of `bmc` that it is like."""
    same = [r for r in rows if (r["question"], r["peer"]) == (row["question"], row["like"])]
    if not same or not peers.decided(row["answer"]):
        return
    (ours,) = same
    name, like = f"{row['question']}: {row['peer']}", f"`{ours['peer']}`"
    spent = f"{row['processor_s']} processor seconds, {row['wall_s']} s by the clock"
    needed = f"{ours['processor_s']} and {ours['wall_s']}"
    if not peers.decided(ours["answer"]):
        yield f"- **{name}** {row['answer']} in {spent}; {like}: {ours['answer']} ({needed})."
    elif ours["answer"] != row["answer"]:
        yield f"- **{name}: {row['answer']}, but {like}: {ours['answer']}.** One of them is wrong."
    elif row["processor_s"] < ours["processor_s"] or row["wall_s"] < ours["wall_s"]:
        yield f"- **{name}** needed {spent}, {like} {needed}."


def _explored(row: Part) -> Iterator[str]:
    least = min((row.get(f"times_{name}", 1) for name in ("processor", "wall")), default=1)
    if least < 1:
        yield (
            f"- **TLC** explored {row['protocol']} at ({row['size']})"
            f"{' with symmetry' if row['symmetry'] else ''} faster than `bmc explore`: "
            f"× {least}."
        )


def _prove(part: Part) -> Iterator[str]:
    yield "| parameters | engine | answer | runs | processor s | wall s | peak MB |"
    yield "|---|---|---|---:|---:|---:|---:|"
    columns = ("engine", "answer", "runs", "processor_s", "wall_s")
    for row in part["rows"]:
        cells = [f"({row['size']})", *(str(row[name]) for name in columns), _peak(row)]
        yield f"| {' | '.join(cells)} |"


def _peak(row: Part) -> str:
    return f"{'≥ ' * ('at_least' in row)}{row['peak_mb']}"


def _growth(part: Part) -> Iterator[str]:
    """How many times the first row's processor time the others need, by the parameter that grew."""
    rows = [row for row in part["rows"] if row["engine"] == part["rows"][0]["engine"]]
    first = rows[0]
    least = first["size"].split(",")
    yield f"| what grows from ({first['size']}) | to | times the processor time |"
    yield "|---|---|---:|"
    for row in rows[1:]:
        values = zip(PARAMETERS, row["size"].split(","), least, strict=True)
        grown = " and ".join(f"`{name}`" for name, value, before in values if value != before)
        ratio = f"{row['processor_s'] / first['processor_s']:.1f}"
        unknown = "" if row["answer"] == first["answer"] else f"> {ratio}: {row['answer']}"
        yield f"| {grown} | ({row['size']}) | {unknown or ratio} |"


def _ic3(part: Part) -> Iterator[str]:
    yield (
        "| parameters | lemmas | answer | runs | processor s | wall s "
        "| of that, until found | clauses | peak MB |"
    )
    yield "|---|---|---|" + "---:|" * 6
    columns = ("answer", "runs", "processor_s", "wall_s", "found_s", "clauses")
    for row in part["rows"]:
        size, lemmas = row["case"].split(":")
        cells = ["-" if row[name] is None else str(row[name]) for name in columns]
        yield f"| {' | '.join([f'({size})', lemmas, *cells, _peak(row)])} |"


def _start_up(part: Part) -> Iterator[str]:
    yield "| command | runs | processor s | wall s |"
    yield "|---|---:|---:|---:|"
    for row in part["rows"]:
        yield f"| `{row['command']}` | {row['runs']} | {row['processor_s']} | {row['wall_s']} |"


@dataclass(frozen=True)
class Target:
    """At most so many seconds for the row of a part with these values, if it has the answer."""

    text: str
    part: str
    row: Mapping[str, str]
    most: float
    answer: str = ""

    def line(self, kept: Kept) -> str:
        """Its row in the table: by the clock, or at least by processor time, or not."""
        found = _row(kept, self.part, self.row)
        if found is None:
            return _line(self.text, "not measured", None)
        said = str(found.get("answer", ""))
        measured = f"{found['wall_s']} s by the clock, {found['processor_s']} processor seconds"
        if said != self.answer:
            return _line(self.text, f"{said} ({measured})", False)
        if found["wall_s"] <= self.most:
            return _line(self.text, measured, True)
        if found["processor_s"] <= self.most:
            return _line(self.text, measured, False, "by processor time only")
        return _line(self.text, measured, False)


def _prove_at(size: str, most: float) -> Target:
    text = f"`bmc prove kafka --k 10` at ({size}) ≤ {most:g} s"
    return Target(text, "prove", {"size": size, "engine": "auto"}, most, "4 proved")


def _ic3_at(case: str, most: float) -> Target:
    size, lemmas = case.split(":")
    text = f"IC3 at ({size}) with {lemmas} lemmas ≤ {most:g} s"
    return Target(text, "ic3", {"case": case}, most, "proved")


def _peer_in(peer: str, text: str, most: float) -> Target:
    row = {"question": "find", "peer": peer}
    return Target(text, "peers", row, most, "violated at 10 steps")


ALONE = {"question": "prove", "peer": "bmc prove --engine ic3 --no-lemmas"}
TARGETS = (
    _prove_at("3,2,2,2", 3),
    _prove_at("5,5,5,5", 30),
    _prove_at("5,8,8,8", 60),
    _prove_at("3,14,14,14", 180),
    _peer_in("bmc check", "the trace of KIP-279 (11 states), the simplest, ≤ 5 s", 5),
    _peer_in("bmc check --raw", "the trace of KIP-279 (11 states), the first found, ≤ 5 s", 5),
    _ic3_at("3,2,2,2:structural", 5),
    Target("IC3 at (3,2,2,2) without lemmas ≤ 90 s", "peers", ALONE, 90, "proved"),
    _ic3_at("3,3,3,3:structural", 60),
    _ic3_at("5,2,2,2:structural", 60),
    Target("`bmc --help` ≤ 0.3 s", "start_up", {"command": "bmc --help"}, 0.3),
    Target("`bmc list` ≤ 0.6 s", "start_up", {"command": "bmc list"}, 0.6),
)


def _targets(kept: Kept) -> Iterator[str]:
    yield "| target | measured | met |"
    yield "|---|---|---|"
    yield from (target.line(kept) for target in TARGETS)
    yield from (_memory(kept), _than_pdr(kept), _than_tlc(kept))


def _memory(kept: Kept) -> str:
    text = "each proof under 2 GB"
    rows = kept.get("prove", {}).get("rows", ())
    whole = [row["peak_mb"] for row in rows if "at_least" not in row]
    if not whole:
        return _line(text, "not measured", None)
    least = [row["peak_mb"] for row in rows if "at_least" in row]
    said = f"at most {max(whole)} MB for all processes of a run together"
    said += f"; the largest process of another {max(least)}" if least else ""
    within = max(whole) < LARGEST_MB
    return _line(text, said, None if least and within else within)


def _than_pdr(kept: Kept) -> str:
    text = "IC3 faster than ABC's `pdr` with the same lemmas"
    wanted = ("bmc IC3, structural lemmas", "ABC pdr, structural lemmas")
    ours, theirs = (_row(kept, "peers", {"question": "prove", "peer": name}) for name in wanted)
    if ours is None or theirs is None or "processor_s" not in theirs:
        return _line(text, "not measured", None)
    if not peers.decided(ours["answer"]):
        return _line(text, ours["answer"], False)
    ratio = min(theirs[f"{name}_s"] / ours[f"{name}_s"] for name in ("processor", "wall"))
    words = f"{ratio:.1f} times as fast, by the clock or by processor, whichever is less"
    ended = peers.decided(theirs["answer"])
    return _line(text, words if ended else f"`pdr`: {theirs['answer']}", ratio > 1)


def _than_tlc(kept: Kept) -> str:
    text = "explicit search ≥ 20 times TLC's distinct states a second on one core"
    rows = [row for row in kept.get("explicit", {}).get("rows", ()) if not row["symmetry"]]
    ratios = [(_less(row), row) for row in rows if "times_wall" in row]
    if not ratios:
        return _line(text, "not measured", None)
    said = "; ".join(f"{row['protocol']} ({row['size']}) {ratio}" for ratio, row in ratios)
    met = [ratio >= 20 for ratio, _ in ratios]
    if any(met) and not all(met):
        return _line(text, said, False, f"{met.count(True)} of {len(met)}")
    return _line(text, said, all(met))


def _less(row: Part) -> float:
    return min(float(row["times_processor"]), float(row["times_wall"]))


def _row(kept: Kept, part: str, wanted: Mapping[str, str]) -> Part | None:
    for row in kept.get(part, {}).get("rows", ()):
        if all(row.get(name) == value for name, value in wanted.items()):
            found: Part = row
            return found
    return None


def _line(text: str, measured: str, met: bool | None, partly: str = "") -> str:
    said = {True: "yes", False: partly or "**missed**", None: "not shown"}[met]
    return f"| {text} | {measured} | {said} |"
