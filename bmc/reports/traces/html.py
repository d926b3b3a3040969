"""A trace as one HTML file with everything in it, so that it can be mailed and opened anywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from bmc.evidence.explanation import Explanation, Truth
from bmc.evidence.trace import Trace
from bmc.evidence.wording import count
from bmc.lang.drawing import Log
from bmc.lang.errors import BmcError
from bmc.lang.properties import PropertyDeclaration
from bmc.lang.sorts import MapSort
from bmc.lang.suite import Suite
from bmc.lang.terms import term_of
from bmc.lang.text_names import text_parted
from bmc.readings.value import ConcreteState
from bmc.reports.notation import call_text, value_lines
from bmc.reports.traces.cards import Blame, card_data, colours_of, short_mark
from bmc.reports.traces.diagram import Loss, Scene, SceneStep, scene
from bmc.reports.traces.explanation_steps import chapters, source_text
from bmc.reports.traces.explanations import explanation_lines, quotation_lines, without_value
from bmc.reports.traces.instances import Violation
from bmc.reports.vocabulary import Vocabulary

_TEMPLATES = Path(__file__).with_name("templates")
_WIDEST_VALUE = 60


@dataclass(frozen=True)
class _Reason:
    """A violated property on the page."""

    name: str
    text: str
    call: str
    missing: str | None
    lines: list[dict[str, Any]]


@dataclass(frozen=True)
class LoopShown:
    """What the page of a lasso says beside its trace, whose last step closes the loop.

    ``start`` is the state that the loop comes back to; where the behaviour ``stays`` in its last
    state there is no such step. ``met`` has each fairness condition and why it is no excuse.
    """

    name: str
    text: str
    call: str
    formula: str
    specification: str
    start: int
    stays: bool
    met: Sequence[tuple[str, str]]
    hints: Sequence[str]


def trace_html(
    suite: Suite,
    words: Vocabulary,
    trace: Trace,
    violated: Sequence[Violation] = (),
    loop: LoopShown | None = None,
) -> str:
    """The page of a trace, and of the properties that its end violates, or of a lasso."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["count"] = count
    environment.filters["breakable"] = _breakable
    drawn, undrawn = _drawn(suite, words, trace)
    colours = colours_of(drawn)
    last = len(trace) - 1
    blame: list[frozenset[Blame]] = [frozenset()] * len(trace)
    blame[last] = blame[last].union(*(_blamed(drawn, v.why) for v in violated if v.why))
    page: str = environment.get_template("trace.html.j2").render(
        protocol=title_of(suite.name),
        about=suite.about,
        undrawn=undrawn,
        unmet=drawn.unmet,
        parameters=words.parameters,
        last=last,
        lasso=loop,
        marks=sorted({(short_mark(log.mark), log.mark) for log in drawn.marked}),
        columns=[column.name for column in drawn.columns],
        violated=[_reason(suite, words, one) for one in violated],
        losses=[_loss(drawn, loss) for loss in drawn.losses],
        story=_story(words, drawn, violated),
        steps=[
            {
                "step": step,
                "cards": [
                    card_data(drawn, step, i, colours, blame[step.number])
                    for i in range(len(drawn.columns))
                ],
                "letters": _letters(drawn, step.number),
                "state": _state(words, trace.steps[step.number].state),
            }
            for step in drawn.steps
        ],
        arrows=[[a.source, a.target, a.sent, a.received, a.text] for a in drawn.arrows],
        style=_inline("trace.css"),
        script=_inline("trace.js"),
    )
    return page


def _drawn(suite: Suite, words: Vocabulary, trace: Trace) -> tuple[Scene, str]:
    """The trace as its protocol is drawn; by its sorts where that fails, and why it does.

    A drawing is shown and never checked, so it may cost no verdict: what it says of an execution
    is evaluated only when there is one, which may be after hours.
    """
    try:
        return scene(suite, words, trace), ""
    except Exception as error:
        why = str(error) if isinstance(error, BmcError) else f"{type(error).__name__}: {error}"
    return scene(suite, words, trace, own=False), why


def _reason(suite: Suite, words: Vocabulary, violated: Violation) -> _Reason:
    declared: PropertyDeclaration = suite.find(violated.property)
    call = call_text(words, violated.property, declared.arguments, violated.arguments)
    why = violated.why
    lines = [] if why is None else explanation_lines(words, why)
    if violated.quoted is not None:
        lines = quotation_lines(violated.quoted)
    return _Reason(
        violated.property,
        declared.text,
        call,
        None if why is None else without_value(words, why),
        [
            {
                "deep": line.deep,
                "text": line.text,
                "truth": None if line.truth is None else line.truth.value,
                "operands": line.values,
            }
            for line in lines
        ],
    )


def _blamed(drawn: Scene, why: Explanation) -> frozenset[Blame]:
    """The places in logs that a false part speaks of: by its lifelines and its offsets."""
    found: set[Blame] = set()
    for leaf in why.leaves():
        if leaf.truth is not Truth.FALSE:
            continue
        values = [(variable.sort, value) for variable, value in leaf.environment.items()]
        for i, column in enumerate(drawn.columns):
            if column.key is None or not any((s.name, v) == column.key for s, v in values):
                continue
            for name, log in column.card.logs.items():
                key = term_of(log.entries).sort if isinstance(log, Log) else None
                if isinstance(key, MapSort):
                    found |= {(i, name, v) for s, v in values if s.name == key.key.name}
    return frozenset(found)


def _loss(drawn: Scene, loss: Loss) -> dict[str, Any]:
    """A loss in words."""
    step = drawn.steps[loss.step]
    who = drawn.columns[loss.column].name
    first = loss.first
    entries = [f"offset {first + offset} ({entry.text})" for offset, entry in loss.entries]
    where = "" if len(step.cards[loss.column].logs) < 2 else f" of {loss.log}"
    safe, other = entries[: loss.committed], entries[loss.committed :]
    if not safe:
        said = f"{who} loses {_joined(entries)}{where}"
    else:
        said = f"{who} loses {_joined(safe)}{where}, which "
        mark = f"counts as committed: {loss.holder}'s {loss.mark} is {loss.high_watermark}"
        said += "had been announced as committed" if loss.holder is None else mark
        said += f"; and {_joined(other)}" if other else ""
    return {"step": loss.step, "text": said, "committed": bool(loss.committed)}


def _story(words: Vocabulary, drawn: Scene, violated: Sequence[Violation]) -> list[dict[str, Any]]:
    """The steps that made what is false so, and those in which a log lost something."""
    found = chapters(words, [cause for one in violated for cause in one.causes])
    turns = {chapter.step: chapter.turns for chapter in found}
    lost: dict[int, list[dict[str, Any]]] = {}
    for loss in drawn.losses:
        lost.setdefault(loss.step, []).append(_loss(drawn, loss))
    return [
        {
            "step": number,
            "action": drawn.steps[number].action,
            "sentence": drawn.steps[number].sentence,
            "losses": lost.get(number, []),
            "committed": any(one["committed"] for one in lost.get(number, [])),
            "turns": turns.get(number, ()),
            "since": _since(drawn, number),
            "read": _read(words, drawn, violated, number),
        }
        for number in sorted({*turns, *lost})
    ]


def _read(
    words: Vocabulary, drawn: Scene, violated: Sequence[Violation], number: int
) -> list[dict[str, Any]]:
    """What a step read of what earlier ones had left."""
    found = {
        source_text(words, source): drawn.steps[source.since]
        for one in violated
        for source in one.sources
        if source.step == number
    }
    return [{"text": text, "left_by": step} for text, step in found.items()]


def _since(drawn: Scene, number: int) -> list[SceneStep]:
    """The earlier steps in which was sent what a step takes."""
    sent = {a.sent for a in drawn.arrows if a.received == number and 0 < a.sent < number}
    return [drawn.steps[earlier] for earlier in sorted(sent)]


def _joined(parts: Sequence[str]) -> str:
    *front, last = parts
    return f"{', '.join(front)} and {last}" if front else last


def _letters(drawn: Scene, number: int) -> list[dict[str, Any]]:
    """What is sent or taken in a step, in words."""
    names = [column.name for column in drawn.columns]
    found = []
    for arrow in drawn.arrows:
        if not arrow.text or number not in (arrow.sent, arrow.received):
            continue
        source = "?" if arrow.source is None else names[arrow.source]
        target = "?" if arrow.target is None else names[arrow.target]
        if arrow.received == number:
            when = f"sent in step {arrow.sent}, taken now"
        elif arrow.received is None:
            when = "sent now, never taken in this trace"
        else:
            when = f"sent now, taken in step {arrow.received}"
        found.append({"ends": f"{source} → {target}", "text": arrow.text, "when": when})
    return found


def _state(words: Vocabulary, state: ConcreteState) -> list[tuple[str, str]]:
    found = []
    for name, sort in words.variables.items():
        if name in state:
            for part, text in value_lines(words, sort, state[name], _WIDEST_VALUE):
                found.append((f"{name}{part}", text))
    return found


def title_of(name: str) -> str:
    """Return what a protocol is called: of one in a file its class or module, without the path."""
    module = text_parted(name)[0]
    if module.endswith(".tla"):
        return Path(module).stem
    file, _, class_name = name.rpartition(":")
    return class_name if file.endswith(".py") else name


def _breakable(name: str) -> Markup:
    """A name that may go on in the next line behind an underscore or before a capital."""
    parts = re.split(r"(?<=_)|(?<=[a-z0-9])(?=[A-Z])", name)
    return Markup("<wbr>").join(parts)


def _inline(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")
