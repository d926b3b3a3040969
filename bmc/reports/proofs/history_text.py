"""An invented history as text of the language: what a user pastes beside the lemmas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bmc.lang.errors import LanguageError
from bmc.lang.ghosts import Ghost
from bmc.lang.historic import ghosts_of
from bmc.lang.sort_parts import inside
from bmc.lang.sorts import MapSort, RecordSort, SequenceSort, Sort
from bmc.lang.suite import Suite
from bmc.lang.terms import Term
from bmc.reports.proofs.lemma_text import LemmaText, broken, given_as

_CLASS = "Invented"


def history_lines(suite: Suite) -> list[str]:
    """Return a suite's history that no file declares as text to paste, nothing if it has none.

    Where the language has no words for it, a comment says why.
    """
    ghosts = ghosts_of(suite)
    if not ghosts:
        return []
    text = HistoryText(suite)
    try:
        lines = text.history(ghosts)
    except LanguageError as error:
        return [f"# not to paste ({error}): {', '.join(one.name for one in ghosts)}"]
    return [*text.imports(), "", *lines]


class HistoryText(LemmaText):
    """Writes ghosts as their author would: records of their own, and a class that follows steps.

    The class is a suite's ``history``; :meth:`imports` are the lines that it needs.
    """

    def __init__(self, suite: Suite) -> None:
        super().__init__(suite)
        # A history is a class of its own, wherever the lemmas are.
        self._inside = False
        self._own: tuple[RecordSort, ...] = ()

    def history(self, ghosts: Sequence[Ghost]) -> list[str]:
        """Return the lines of the records and of the class.

        Raises LanguageError where the language has no words for what a ghost becomes.
        """
        self._own = tuple(
            part
            for ghost in ghosts
            for part in inside(ghost.sort)
            if isinstance(part, RecordSort) and part.name not in self._known()
        )
        lines = [line for one in self._own for line in self._declaration(one)]
        lines += ["", "", f"class {_CLASS}({self._import('bmc.lang', 'History')}):"]
        lines += ['    """What was ever so, though it may be so no longer."""', ""]
        for ghost in ghosts:
            sort = self._sort(ghost.sort)
            told = f"{ghost.name} = {self._call('Variable', sort, repr(ghost.about))}"
            lines += broken(told, 4)
        lines += ["", "    def initially(self, s):"]
        for ghost in ghosts:
            lines += broken(f"s.{ghost.name} = {self._write(ghost.initially, False)}", 8)
        for action in dict.fromkeys(name for ghost in ghosts for name in ghost.after):
            lines += ["", *self._following(action, ghosts)]
        return lines

    def _following(self, action: str, ghosts: Sequence[Ghost]) -> Iterator[str]:
        values = {ghost.name: ghost.after[action] for ghost in ghosts if action in ghost.after}
        free = frozenset().union(*(value.free for value in values.values()))
        given = sorted(self._write(one, False) for one in free)
        yield f"    @{self._call('after', repr(action))}"
        yield f"    def {action}({', '.join(('self', 's', *given))}):"
        for name, value in values.items():
            for place, part in _assigned(value):
                at = "" if place is None else f"[{self._write(place, False)}]"
                yield from broken(f"s.{name}{at} = {self._write(part, False)}", 8)

    def _known(self) -> set[str]:
        """Return the names of the records that the protocol declares."""
        variables = self._suite.model(ghosts=False).variables
        return {p.name for s in variables.values() for p in inside(s) if isinstance(p, RecordSort)}

    def _declaration(self, record: RecordSort) -> list[str]:
        fields = (given_as(name, self._sort(sort)) for name, sort in record.fields)
        return broken(f"{record.name} = {self._call('Record', repr(record.name), *fields)}", 0)

    def _sort(self, sort: Sort | None, own: str = "") -> str:
        match sort:
            case RecordSort() if sort in self._own:
                return sort.name
            case MapSort(key, value):
                return self._call("MapSort", self._sort(key, own), self._sort(value, own))
            case SequenceSort(element, capacity):
                return self._call("Sequence", self._sort(element, own), self._bound(capacity))
        return super()._sort(sort, own)

    def _write(self, term: Term, tight: bool) -> str:
        match term.op:
            case "lambda":
                variable, value = term.args
                domain, name = self._sort(variable.sort), self._write(variable, False)
                body = f"lambda {name}: {self._write(value, False)}"
                return self._call("mapping", domain, body, self._sort(value.sort))
            case "some":
                return self._call("some", self._write(term.args[0], False))
        return super()._write(term, tight)


def _assigned(value: Term) -> list[tuple[Term | None, Term]]:
    """Return what is assigned one after the other: parts of a map, each with its key, or all."""
    parts: list[tuple[Term | None, Term]] = []
    while value.op == "store":
        value, key, part = value.args
        parts.insert(0, (key, part))
    return parts or [(None, value)]
