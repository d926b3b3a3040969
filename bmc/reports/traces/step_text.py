"""A sentence about a step, made of what it changed on the cards, where a protocol says none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bmc.reports.traces.aliases import NO_VALUE
from bmc.reports.traces.participants import CardView, Fact, LogView

_MOST_PARTS = 3


def told_by_cards(
    names: Sequence[str], before: Sequence[CardView], after: Sequence[CardView]
) -> str:
    """What became of each lifeline: ``r1 becomes leader, epoch -1 → 0``; empty for nothing."""
    said = []
    for name, old, new in zip(names, before, after, strict=True):
        parts = list(_parts(old, new))
        if not parts:
            continue
        # The first part may be a verb; a value that changes needs a colon before it.
        shown = ", ".join(parts[:_MOST_PARTS])
        more = f" and {len(parts) - _MOST_PARTS} more" if len(parts) > _MOST_PARTS else ""
        said.append(f"{name}{'' if _is_verb(old, new) else ':'} {shown}{more}")
    return "; ".join(said)


def _is_verb(old: CardView, new: CardView) -> bool:
    return old.down != new.down or old.role != new.role or bool(next(_logs(old, new), ""))


def _parts(old: CardView, new: CardView) -> Iterator[str]:
    if old.down != new.down:
        yield "goes down" if new.down else "is back"
    if old.role != new.role:
        yield f"becomes {new.role}" if new.role else f"is no longer {old.role}"
    yield from _logs(old, new)
    yield from _marks(old, new)
    known = {fact.name: fact for fact in old.facts}
    for fact in new.facts:
        was = known.get(fact.name, Fact(fact.name, NO_VALUE))
        if fact.text != was.text:
            yield f"{fact.name} {_changed(was, fact)}"


def _changed(old: Fact, new: Fact) -> str:
    """What became of a fact; a set tells what came and what went."""
    if old.elements is None or new.elements is None:
        return f"{old.text} → {new.text}"
    signed = [f"+ {one}" for one in new.came(old)] + [f"− {one}" for one in old.came(new)]
    return " ".join(signed)


def _logs(old: CardView, new: CardView) -> Iterator[str]:
    for was, now in zip(old.logs, new.logs, strict=True):
        which = f" of {now.name}" if now.is_named(new.logs) else ""
        for offset in range(max(len(was.entries), len(now.entries))):
            yield from _slot(was, now, offset, f"{now.first + offset}{which}")


def _slot(was: LogView, now: LogView, offset: int, where: str) -> Iterator[str]:
    one, other = was.at(offset), now.at(offset)
    if one is None and other is not None:
        yield f"appends {where} ({other.text})"
    elif one is not None and other is None:
        yield f"loses {where} ({one.text})"
    elif one is not None and other is not None and one.value != other.value:
        verb = "marks" if one.identity == other.identity else "replaces"
        yield f"{verb} {where} (now {other.text})"


def _marks(old: CardView, new: CardView) -> Iterator[str]:
    for was, now in zip(old.logs, new.logs, strict=True):
        if was.high_watermark != now.high_watermark:
            yield f"{now.mark} {was.high_watermark} → {now.high_watermark}"
