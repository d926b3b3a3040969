"""The model that a protocol's class describes, with the ghosts of a history if one is given.

Each method is run once on symbolic states; what it required and assigned is the model.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FunctionType
from typing import Any

from bmc.lang.decided import nothing_decided
from bmc.lang.declared import (
    Declaration,
    require_declared_parameters,
    require_one_definition,
    require_one_meaning,
    require_own_names,
    run_with,
)
from bmc.lang.errors import DependsOnMonitor, LanguageError, UnknownVariable, placed, suggest
from bmc.lang.misplaced import require_of_a_history, require_of_a_protocol
from bmc.lang.model import Action, Model, Source
from bmc.lang.next_actions import require_actions, require_next
from bmc.lang.protocol import (
    ActionDeclaration,
    Follow,
    History,
    Monitor,
    Protocol,
    Variable,
    declared_in,
    parameters_of,
    require_assignments_only,
)
from bmc.lang.sorts import Sort, require_sort
from bmc.lang.state import WORDS, Branch, State, Step, branches, state_variable_name
from bmc.lang.terms import Handle, Term, boolean, subterms


def model_of(
    protocol: type[Protocol],
    history: type[History] | None = None,
    name: str | None = None,
    plain: Model | None = None,
) -> Model:
    """Return the model a protocol class describes, with a history's ghosts if one is given.

    With ``plain``, its model without them, the protocol's own methods are not run again.
    Raises LanguageError (or SortError) naming the place where the description is wrong.
    """
    if plain is None:
        with _placed_in(protocol):
            plain = _model_of(protocol, name)
    if history is None:
        return plain
    with _placed_in(history):
        return _with_history(plain, protocol, history)


@contextmanager
def _placed_in(owner: type[Protocol] | type[History]) -> Iterator[None]:
    try:
        yield
    except LanguageError:
        # Python reads the whole file to say where a class is.
        with placed(*_place_of(owner)):
            raise


@contextmanager
def ghosts_told(history: type[History] | None) -> Iterator[None]:
    """Say of a history's ghost that a temporal claim or a ranking reads what to write for it."""
    try:
        yield
    except UnknownVariable as error:
        name = error.variable
        if history is not None and name in declared_in(history, Variable):
            error.args = (
                f"{name} is a ghost of {history.__name__}, which temporal claims and rankings do "
                f"not read: declare it in the protocol, {name} = Monitor(sort, "
                '"what it means"), and assign it in the actions',
            )
        raise


def _place_of(owner: type[Protocol] | type[History]) -> tuple[str, int]:
    """The file and line of a class; where Python cannot tell, those of its first method."""
    try:
        return inspect.getfile(owner), inspect.getsourcelines(owner)[1]
    except (OSError, SyntaxError, TypeError):
        found = [v for v in vars(owner).values() if isinstance(v, ActionDeclaration | Follow)]
        source = Source.of(found[0].function) if found else Source("?", 0)
        return source.file, source.line


def _model_of(protocol: type[Protocol], name: str | None) -> Model:
    instance = protocol()
    variables = declared_in(protocol, Variable)
    for declared in variables.values():
        require_sort(declared.sort, f"the variable {declared.name}")
    sorts = {n: v.sort for n, v in variables.items()}
    if not sorts:
        raise LanguageError(f"{protocol.__name__} declares no variables")
    _require_readable(protocol, variables)
    require_own_names(protocol.__name__, parameters_of(protocol), sorts)
    if not isinstance(getattr(protocol, "Init", None), ActionDeclaration):
        raise LanguageError(f"{protocol.__name__} needs an Init decorated with @action()")
    require_actions(protocol)
    require_one_meaning(protocol)
    require_of_a_protocol(protocol)
    require_next(protocol)
    initial = protocol.Init.describe(instance, sorts)
    actions = tuple(
        getattr(protocol, declared.name).describe(instance, sorts) for declared in protocol.Next
    )
    monitors = frozenset(n for n, v in variables.items() if isinstance(v, Monitor))
    for one in actions:
        with placed(one.source.file, one.source.line):
            _refuse_monitors(monitors, one.name, _behaviour(one, monitors))
    with placed(initial.source.file, initial.source.line):
        _require_nothing_read(f"{protocol.__name__}.Init", initial)
    _require_everything_assigned(f"{protocol.__name__}.Init", initial, sorts)
    constraint = _constraint(protocol, instance, sorts)
    _refuse_monitors(monitors, "Constraint", (constraint,))
    model = Model(
        name or protocol.__name__,
        parameters_of(protocol),
        sorts,
        frozenset(),
        initial,
        actions,
        constraint,
        {n: v.about for n, v in variables.items()},
    )
    _require_one_world(protocol, model)
    return model


def _with_history(plain: Model, protocol: type[Protocol], history: type[History]) -> Model:
    declared = declared_in(history, Variable)
    clash = set(plain.variables) & set(declared)
    if clash:
        raise LanguageError(f"the history's {sorted(clash)[0]} is a variable already")
    _require_readable(history, declared)
    require_one_meaning(history)
    require_of_a_history(history)
    _require_decorated(history, plain.actions)
    ghosts = {n: v.sort for n, v in declared.items()}
    initial, actions = _followed(history, plain.initial, plain.actions, plain.variables, ghosts)
    said = history.initially is not History.initially
    beginning = Source.of(history.initially) if said else Source(*_place_of(history))
    with placed(beginning.file, beginning.line):
        _require_nothing_read(f"{history.__name__}.initially", initial)
        _require_everything_assigned(f"{history.__name__}.initially", initial, ghosts)
    model = replace(
        plain,
        variables={**plain.variables, **ghosts},
        ghosts=frozenset(ghosts),
        initial=initial,
        actions=actions,
        about={**plain.about, **{n: v.about for n, v in declared.items()}},
    )
    _require_one_world(protocol, model)
    return model


def _require_nothing_read(said: str, initial: Action) -> None:
    """Refuse a method of the start, called as ``said``, that reads what has no value yet."""
    for argument in initial.arguments:
        if argument.collection is not None:
            raise LanguageError(
                f"{said} chooses from a variable, which has no value yet: let {argument.name} "
                "range over the sort of its members, and require what holds of it"
            )
    for branch in initial.branches:
        for term in subterms((*branch.guards, *branch.updates.values())):
            if term.op == "variable":
                raise LanguageError(
                    f"{said} reads a variable, and {term!r} has no value yet: write what it "
                    "begins with in its place"
                )


def _require_everything_assigned(said: str, initial: Action, names: Iterable[str]) -> None:
    """Refuse a method of the start, called as ``said``, that forgets a name."""
    for branch in initial.branches:
        missing = [n for n in names if n not in branch.updates]
        if missing:
            raise LanguageError(
                f"{said} gives {', '.join(missing)} no value: assign s.{missing[0]} there"
            )


def _require_one_world(protocol: type[Protocol], model: Model) -> None:
    """Refuse two sorts of one name, and a parameter that nothing declares."""
    written = [*_written(model.initial, *model.actions), model.constraint]
    used = (*model.variables.values(), *(t.sort for t in subterms(written)))
    require_one_definition(protocol.__name__, used)
    require_declared_parameters(protocol.__name__, model.parameters, written, used)


def _constraint(protocol: type[Protocol], instance: Protocol, sorts: Mapping[str, Sort]) -> Term:
    stated: Any = protocol.Constraint
    if isinstance(stated, Declaration) or not callable(stated):
        raise LanguageError("Constraint is a method: def Constraint(self, s): return …")
    source = Source.of(stated) if isinstance(stated, FunctionType) else Source(*_place_of(protocol))
    with placed(source.file, source.line, "Constraint"):
        taken = list(inspect.signature(stated).parameters)
        if len(taken) != 2:
            raise LanguageError(
                f"Constraint takes ({', '.join(taken)}): write def Constraint(self, s)"
            )
        with nothing_decided("Constraint"):
            formula: object = instance.Constraint(State(sorts, False, instance))
            if formula is None:
                raise LanguageError("Constraint returns nothing: return its formula")
            return boolean(formula)


def _written(*actions: Action) -> Iterator[Term]:
    for one in actions:
        for argument_ in one.arguments:
            yield argument_.variable
        for branch in one.branches:
            yield from branch.guards
            yield from branch.updates.values()


def _behaviour(one: Action, monitors: frozenset[str]) -> Iterator[Term]:
    """What decides whether an action is taken, and what it does to all but the monitors."""
    yield from (a.collection for a in one.arguments if a.collection is not None)
    for branch in one.branches:
        yield from branch.guards
        yield from (value for n, value in branch.updates.items() if n not in monitors)


def _refuse_monitors(monitors: frozenset[str], owner: str, read: Iterable[Term]) -> None:
    if not monitors:
        return
    for term in subterms(read):
        if term.op == "variable" and (name := state_variable_name(term)) in monitors:
            raise DependsOnMonitor(
                f"{owner} depends on {name}, a Monitor, which only claims and monitors read: "
                "declare it as a Variable"
            )


def _require_readable(owner: type, variables: Mapping[str, Variable]) -> None:
    for name, declared in variables.items():
        # A choice from a variable knows it by the name that it was given last.
        if declared.name != name:
            raise LanguageError(
                f"{owner.__name__}: {name} is a variable that {declared.name or 'no class'} names "
                "as well: write Variable(...) once for each name, in the body of its class"
            )
        if name.startswith("_") or name in WORDS:
            raise LanguageError(
                f"{owner.__name__}: a variable cannot be called {name!r}, which means something "
                "else of a state: give it another name"
            )


def _followed(
    history: type[History],
    initial: Action,
    actions: tuple[Action, ...],
    sorts: Mapping[str, Sort],
    ghosts: Mapping[str, Sort],
) -> tuple[Action, tuple[Action, ...]]:
    instance = history()
    everything = {**sorts, **ghosts}
    beginning = Source.of(history.initially)
    with placed(beginning.file, beginning.line):
        with nothing_decided("initially"):
            start = Step(everything, frozenset(ghosts), "initially")
            require_assignments_only("initially", instance.initially(start))  # type: ignore[func-returns-value]
        begun = _merged(initial, branches(start))
    follows = declared_in(history, Follow).values()
    for follow in follows:
        _require_followed(follow, [one.name for one in actions])

    def extended(one: Action) -> Action:
        for follow in follows:
            if one.name in follow.actions:
                source = Source.of(follow.function)
                with placed(source.file, source.line):
                    one = _beside(one, follow, instance, everything, frozenset(ghosts))
        return one

    return begun, tuple(extended(a) for a in actions)


def _beside(
    one: Action,
    follow: Follow,
    history: History,
    sorts: Mapping[str, Sort],
    ghosts: frozenset[str],
) -> Action:
    """Return an action together with what a method of a history says after it."""
    title = follow.function.__name__
    known = {a.name: a.variable for a in one.arguments}
    wanted = list(inspect.signature(follow.function).parameters)[2:]
    for name in wanted:
        if name not in known:
            raise LanguageError(
                f"{one.name} has no argument {name!r} for the history's {title}: "
                f"{suggest(name, known)}"
            )
    with nothing_decided(title):
        step = Step(sorts, ghosts, title)
        given = (Handle(known[w]) for w in wanted)
        require_assignments_only(title, run_with(follow.function, (history, step), given))
    return _merged(one, branches(step))


def _require_decorated(history: type[History], actions: Iterable[Action]) -> None:
    """Refuse a method that is called as an action and follows none: ghosts would stand still."""
    for one in actions:
        if isinstance(method := getattr(history, one.name, None), FunctionType):
            source = Source.of(method)
            with placed(source.file, source.line):
                raise LanguageError(
                    f"the history's {one.name} follows no action: write @after({one.name!r}) above "
                    "it, or give it another name"
                )


def _require_followed(follow: Follow, actions: Sequence[str]) -> None:
    """Refuse a name that is no action of this protocol: with it the ghosts would stand still."""
    wrong = [name for name in follow.actions if name not in actions]
    if len(wrong) < len(follow.actions):
        wrong = [name for name in wrong if name not in follow.shared or name == "Init"]
        if not wrong:
            return
    source = Source.of(follow.function)
    with placed(source.file, source.line):
        raise LanguageError(
            f"the history's {follow.function.__name__} follows {', '.join(wrong) or 'nothing'}, "
            f"which is no action of the protocol: {suggest(', '.join(wrong), actions)}; an action "
            "of another protocol that shares the history is named itself, @after(Other.Act)"
        )


def _merged(one: Action, ghost_branches: tuple[Branch, ...]) -> Action:
    if len(ghost_branches) != 1 or ghost_branches[0].guards:
        raise LanguageError(f"a history cannot restrict {one.name}: assign with ite(...) instead")
    added = ghost_branches[0].updates
    for ghost in added:
        if any(ghost in branch.updates for branch in one.branches):
            raise LanguageError(f"two methods of the history assign {ghost} after {one.name}")
    branches = tuple(Branch(b.guards, {**b.updates, **added}) for b in one.branches)
    return Action(one.name, one.arguments, branches, one.source, one.about, one.fairness)
