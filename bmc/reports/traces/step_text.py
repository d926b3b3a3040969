"""A sentence about a step, made of what it changed on the cards, where a protocol says none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bmc.reports.traces.participants import CardView, LogView

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
    known = dict(old.facts)
    for name, text in new.facts:
        if known.get(name) != text:
            yield f"{name} {known.get(name)} → {text}"


def _logs(old: CardView, new: CardView) -> Iterator[str]:
    for was, now in zip(old.logs, new.logs, strict=True):
        which = f" of {now.name}" if len(new.logs) > 1 else ""
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
