"""States and steps on a page: what traces and counterexamples to induction have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bmc.evidence.trace import TraceStep
from bmc.lang.sorts import Sort
from bmc.layout.domain import Value
from bmc.readings.value import ConcreteState
from bmc.reports.notation import call_text, value_lines
from bmc.reports.page import Page, Part
from bmc.reports.traces.aliases import derived
from bmc.reports.traces.differences import Change, changes
from bmc.reports.vocabulary import Vocabulary

_WIDEST_PATH = 44
_WIDEST_OLD = 32
_WIDEST_VALUE = 72


class StepWriter:
    """Writes the states of a path, each line behind the same ``margin``."""

    def __init__(self, page: Page, words: Vocabulary, full: bool, *margin: Part) -> None:
        self._page = page
        self._words = words
        self._full = full
        self._margin = margin

    def line(self, *parts: Part) -> None:
        """One line behind the margin."""
        self._page.line(*self._margin, *parts)

    def state(self, state: ConcreteState, before: ConcreteState | None = None) -> None:
        """A whole state, a variable a line; what is not as in ``before`` is marked."""
        rows = list(self._rows(state))
        same = set(rows) if before is None else set(self._rows(before))
        width = max((len(label) for _, label, _ in rows), default=0)
        for row in rows:
            _, label, text = row
            changed = row not in same
            mark, style = ("*", "bold") if changed else (" ", "")
            self.line(f"   {mark} ", (label.ljust(width), style), f"  {text}")

    def _rows(self, state: ConcreteState) -> Iterator[tuple[str, str, str]]:
        """Variable, label and text of each line of a state."""
        for name, sort in self._words.variables.items():
            if name in state:
                label = self._label(name)
                for part, text in value_lines(self._words, sort, state[name], _WIDEST_VALUE):
                    yield name, f"{label}{part}", text
                    label = label if part else ""
        for label, text in derived(self._words, state).items():
            yield label, f"{label} (alias)", text

    def _label(self, name: str) -> str:
        return f"{name} (ghost)" if name in self._words.ghosts else name

    def step(self, number: int, before: ConcreteState, step: TraceStep) -> None:
        """A step: its number, its action, and what it changed (or the whole state)."""
        self.line(f"{number:>3}  ", (self.action(step), "bold"))
        found = changes(self._words, before, step.state)
        if self._full:
            self.state(step.state, before)
        elif not found:
            self.line("     (nothing changes)")
        else:
            self._differences(found)

    def action(self, step: TraceStep) -> str:
        """The action of a step with its arguments."""
        name = step.action or "initial state"
        return self.call(name, self._words.action_arguments(name), step.arguments)

    def call(self, name: str, sorts: Mapping[str, Sort], arguments: Mapping[str, Value]) -> str:
        """A name with its arguments."""
        return call_text(self._words, name, sorts, arguments)

    def _differences(self, found: list[Change]) -> None:
        path_width = _column((change.path for change in found), _WIDEST_PATH)
        olds = (c.old for c in found if c.old is not None and c.new is not None)
        old_width = _column(olds, _WIDEST_OLD)
        for change in found:
            colour = "magenta" if change.derived else "cyan"
            place: Part = (change.path.ljust(path_width), colour)
            if change.new is None:
                self.line("     ", place, "  - ", (change.old or "", "red"))
            elif change.old is None:
                self.line("     ", place, "  + ", (change.new, "green"))
            else:
                old = change.old.ljust(old_width)
                self.line("     ", place, f"  {old} → ", (change.new, "green"))


def _column(texts: Iterable[str], widest: int) -> int:
    """Return a column's width: a text wider than ``widest`` stands out, and widens no other."""
    return max((len(text) for text in texts if len(text) <= widest), default=0)
