"""A protocol: parameters, variables, initial states, actions and an optional state constraint.

Written as a Python class whose methods are the specification's actions, under their own names;
a variant of a protocol is a subclass that says only what differs. :func:`model_of` turns the
class into a :class:`Model`, which is all that the rest of bmc ever sees.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

from bmc.lang.build import FALSE, argument, conj
from bmc.lang.decided import nothing_decided
from bmc.lang.declared import (
    Declaration,
    Declaring,
    require_one_definition,
    require_one_meaning,
    require_own_names,
)
from bmc.lang.errors import DeclaredTwice, LanguageError, ParameterError, placed, suggest
from bmc.lang.parameters import Parameter
from bmc.lang.sorts import AnySet, SetSort, Sort, require_enumerable, require_sort
from bmc.lang.state import WORDS, Branch, State, Step, branches, state_variable
from bmc.lang.terms import Expr, Handle, Term, boolean, subterms

if TYPE_CHECKING:
    from bmc.lang.drawing import Drawing


@dataclass(frozen=True)
class Source:
    """Where something is written: a file and a line counted from 1."""

    file: str
    line: int

    @staticmethod
    def of(function: Callable[..., object]) -> Source:
        """The place of a function's definition."""
        code = inspect.unwrap(function).__code__
        return Source(code.co_filename, code.co_firstlineno)


class Variable(Declaration):
    """A state variable; its name is the class attribute it is assigned to."""

    def __init__(self, sort: Sort, about: str = "") -> None:
        self.sort = sort
        self.about = about
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> NoReturn:
        raise LanguageError(f"{self.name} has no value by itself: write s.{self.name}, not self.")

    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __add__ = __sub__ = __eq__
    __hash__ = object.__hash__


Declared = TypeVar("Declared")

ChoiceDomain = Sort | Variable
"""What an existential choice ranges over: a scalar sort, the subsets of one, or the set a
variable holds."""


@dataclass(frozen=True)
class Argument:
    """An action's existential choice.

    ``collection`` is the variable's term when the choice is an element of a set in the state.
    """

    name: str
    variable: Term
    collection: Term | None


@dataclass(frozen=True)
class Action:
    """``name == \\E arguments : branch \\/ branch …``."""

    name: str
    arguments: tuple[Argument, ...]
    branches: tuple[Branch, ...]
    source: Source
    about: str = ""
    fairness: str | None = None


@dataclass(frozen=True)
class Model:
    """What a protocol is, with nothing of how it was written.

    ``variables`` maps names to sorts in declaration order, ghosts last; ``ghosts`` names those
    that exist for proofs only. ``constraint`` is the state constraint: a successor outside it
    is not entered (as TLC counts).
    """

    name: str
    parameters: tuple[Parameter, ...]
    variables: Mapping[str, Sort]
    ghosts: frozenset[str]
    initial: Action
    actions: tuple[Action, ...]
    constraint: Term
    about: Mapping[str, str] = field(default_factory=dict)


class ActionDeclaration(Declaration):
    """An action as it is written: a method and the domains of its choices."""

    def __init__(
        self,
        function: Callable[..., object],
        choices: Mapping[str, ChoiceDomain],
        fairness: str | None = None,
    ) -> None:
        self.function = function
        self.choices = dict(choices)
        self.name = function.__name__
        self.fairness = fairness
        taken = list(inspect.signature(function).parameters)
        if len(taken) < 2:
            raise LanguageError(
                f"{self.name} takes ({', '.join(taken)}): a method takes self, the step s, and "
                f"then its arguments, def {self.name}({', '.join(['self', 's', *self.choices])})"
            )
        expected = taken[2:]
        if expected != list(self.choices):
            raise LanguageError(
                f"{self.name} takes ({', '.join(expected)}) after self and s, but its decorator "
                f"declares ({', '.join(self.choices)}): give each argument its domain, in order"
            )

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Call the method itself, to build one action out of another."""
        if not args and not kwargs:
            raise LanguageError(
                f"{self.name}() runs the action, without a protocol and a step: "
                f"name it only, as in one_of({self.name})"
            )
        self.function(*args, **kwargs)

    def describe(self, protocol: object, sorts: Mapping[str, Sort]) -> Action:
        """Run the method once on symbolic arguments and write down what it says."""
        source = Source.of(self.function)
        with placed(source.file, source.line):
            arguments = tuple(_argument(self.name, n, d, sorts) for n, d in self.choices.items())
            with nothing_decided(self.name):
                step = Step(sorts, frozenset(sorts), self.name)
                _assigned_only(
                    self.name,
                    self.function(protocol, step, *(Handle(a.variable) for a in arguments)),
                )
        return Action(
            self.name,
            arguments,
            branches(step),
            source,
            inspect.getdoc(self.function) or "",
            self.fairness,
        )


def _assigned_only(name: str, returned: object) -> None:
    """Refuse what an action gives back: a guard would be lost, a generator has not even run."""
    if inspect.iscoroutine(returned):
        returned.close()
    if returned is not None:
        raise LanguageError(
            f"{name} returns something, which would be lost: write s.require(...) for a guard and "
            "s.x = ... for a new value, and neither return, yield nor async"
        )


def _argument(action: str, name: str, domain: ChoiceDomain, sorts: Mapping[str, Sort]) -> Argument:
    if isinstance(domain, Variable):
        sort = sorts[domain.name]
        if not isinstance(sort, AnySet):
            raise LanguageError(f"{action}: {name} ranges over {domain.name}, which is no set")
        return Argument(name, argument(name, sort.element), state_variable(domain.name, sort))
    require_sort(domain, f"{action}'s argument {name}")
    listed = domain.element if isinstance(domain, SetSort) else domain
    require_enumerable(listed, f"{action}'s argument {name}")
    return Argument(name, argument(name, domain), None)


def action(
    *misplaced: object, fairness: str | None = None, **choices: ChoiceDomain
) -> Callable[[Callable[..., None]], ActionDeclaration]:
    """Declare a method ``(self, s, *choices)`` as an action ``\\E choices : …``.

    ``fairness`` is None, ``"weak"`` or ``"strong"``.
    """
    if misplaced:
        name = getattr(misplaced[0], "__name__", misplaced[0])
        raise LanguageError(f"{name}: write the decorator with parentheses, @action()")
    if fairness not in (None, "weak", "strong"):
        raise LanguageError(f"fairness is 'weak' or 'strong', not {fairness!r}")

    def declare(function: Callable[..., None]) -> ActionDeclaration:
        return ActionDeclaration(function, choices, fairness)

    return declare


def one_of(*actions: ActionDeclaration) -> tuple[ActionDeclaration, ...]:
    """``Next == action \\/ action \\/ …``, in the specification's order."""
    given: tuple[Any, ...] = actions
    for one in given:
        if not isinstance(one, ActionDeclaration):
            called = getattr(one, "__name__", None)
            remedy = f"write @action() above def {called}" if called else "name decorated methods"
            raise LanguageError(
                f"one_of lists actions, and {called or repr(one)} is none: {remedy}, as in "
                "one_of(First, Second)"
            )
    return actions


class Protocol(metaclass=Declaring):
    """Base of every protocol.

    A subclass declares parameters and variables as class attributes, an ``Init`` (an action
    that assigns every variable) and ``Next``, the tuple of its actions in the specification's
    order. An action that a subclass writes again under the same name replaces the inherited.
    """

    Next: tuple[ActionDeclaration, ...] = ()
    Init: ClassVar[ActionDeclaration]

    def Constraint(self, s: State) -> Expr:
        """The state constraint; TRUE unless a protocol says otherwise."""
        return Handle(conj())

    def terminated(self, s: State) -> Expr:
        """Whether a state is an end that is meant: ``--deadlock`` accepts that no step follows."""
        return Handle(FALSE)

    def drawn(self, s: State) -> Drawing | None:
        """How traces are drawn (:mod:`bmc.lang.drawing`); None: by the sorts of the variables."""
        return None

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise LanguageError(f"a protocol holds no values: assign s.{name}, not self.{name}")


def parameters_of(protocol: type[Protocol]) -> tuple[Parameter, ...]:
    """The declared parameters, parents' first, in order of declaration."""
    return tuple(_declared(protocol, Parameter).values())


def parameter_values(
    protocol: type[Protocol], given: Mapping[str, int], called: str | None = None
) -> dict[str, int]:
    """All parameters with their values: what is given, defaults for the rest.

    Raises ParameterError for an unknown name, a wrong type or a value out of range. The message
    calls the protocol what its user ``called`` it, else by its class.
    """
    declared = {p.name: p for p in parameters_of(protocol)}
    for name in given:
        if name not in declared:
            owner = called or protocol.__name__
            raise ParameterError(f"{owner} has no parameter {name!r}: {suggest(name, declared)}")
    return {name: p.check(given.get(name, p.default)) for name, p in declared.items()}


def _declared(owner: type, kind: type[Declared]) -> dict[str, Declared]:
    found: dict[str, Declared] = {}
    for base in reversed(owner.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, kind):
                found[name] = value
    return found


class History(metaclass=Declaring):
    """Ghost variables and how they follow a protocol's steps.

    A subclass declares ghost :class:`Variable`s, an ``initially`` method ``(self, s)`` that
    assigns them all, and methods under :func:`after`. Encodings cannot name ghosts and a
    history can assign nothing else, so ghosts never influence the protocol.
    """

    def initially(self, s: Step) -> None:
        """Assign every ghost its initial value."""


@dataclass(frozen=True)
class Follow(Declaration):
    """A history's method and the actions it follows."""

    function: Callable[..., object]
    actions: tuple[str, ...]


def after(*actions: str) -> Callable[[Callable[..., None]], Follow]:
    """Declare a history's method ``(self, s, *names)`` to run with each of these actions.

    It receives the action's arguments that it names; it reads the state before the step.
    """

    def declare(function: Callable[..., None]) -> Follow:
        return Follow(function, actions)

    return declare


def model_of(
    protocol: type[Protocol], history: type[History] | None = None, name: str | None = None
) -> Model:
    """The model a protocol class describes, with a history's ghosts if one is given.

    Raises LanguageError (or SortError) naming the place where the description is wrong.
    """
    with placed(*_place_of(protocol)):
        return _model_of(protocol, history, name)


def _place_of(protocol: type[Protocol]) -> tuple[str, int]:
    """The file and line of a class; where Python cannot tell, those of its first method."""
    try:
        return inspect.getfile(protocol), inspect.getsourcelines(protocol)[1]
    except (OSError, TypeError):
        found = [v for v in vars(protocol).values() if isinstance(v, ActionDeclaration)]
        source = Source.of(found[0].function) if found else Source("?", 0)
        return source.file, source.line


def _model_of(protocol: type[Protocol], history: type[History] | None, name: str | None) -> Model:
    instance = protocol()
    variables = _declared(protocol, Variable)
    for declared in variables.values():
        require_sort(declared.sort, f"the variable {declared.name}")
    sorts = {n: v.sort for n, v in variables.items()}
    if not sorts:
        raise LanguageError(f"{protocol.__name__} declares no variables")
    _require_readable(protocol, sorts)
    require_own_names(protocol.__name__, parameters_of(protocol), sorts)
    if not isinstance(getattr(protocol, "Init", None), ActionDeclaration):
        raise LanguageError(f"{protocol.__name__} needs an Init decorated with @action()")
    _require_actions(protocol)
    require_one_meaning(protocol)
    _require_next(protocol)
    initial = protocol.Init.describe(instance, sorts)
    actions = tuple(
        getattr(protocol, declared.name).describe(instance, sorts) for declared in protocol.Next
    )
    about = {n: v.about for n, v in variables.items()}
    ghosts: dict[str, Sort] = {}
    if history is not None:
        clash = set(sorts) & set(_declared(history, Variable))
        if clash:
            raise LanguageError(f"the history's {sorted(clash)[0]} is a variable already")
        _require_readable(history, _declared(history, Variable))
        for n, v in _declared(history, Variable).items():
            ghosts[n], about[n] = v.sort, v.about
        initial, actions = _followed(history, initial, actions, sorts, ghosts)
    if any(a.collection is not None for a in initial.arguments):
        raise LanguageError(
            f"{protocol.__name__}.Init chooses from a variable: it has no value yet"
        )
    for branch in initial.branches:
        read = subterms((*branch.guards, *branch.updates.values()))
        if any(term.op == "variable" for term in read):
            raise LanguageError(f"{protocol.__name__}.Init reads a variable: it has no value yet")
        missing = [n for n in (*sorts, *ghosts) if n not in branch.updates]
        if missing:
            raise LanguageError(
                f"{protocol.__name__}.Init gives {', '.join(missing)} no value: assign "
                f"s.{missing[0]} there"
            )
    with nothing_decided("Constraint"):
        constraint = boolean(instance.Constraint(State(sorts)))
    written = [*_written(initial, *actions), constraint]
    used = (*sorts.values(), *ghosts.values(), *(t.sort for t in subterms(written)))
    require_one_definition(protocol.__name__, used)
    return Model(
        name or protocol.__name__,
        parameters_of(protocol),
        {**sorts, **ghosts},
        frozenset(ghosts),
        initial,
        actions,
        constraint,
        about,
    )


def _written(*actions: Action) -> Iterator[Term]:
    for one in actions:
        for argument_ in one.arguments:
            yield argument_.variable
        for branch in one.branches:
            yield from branch.guards
            yield from branch.updates.values()


def _require_readable(owner: type, names: Iterable[str]) -> None:
    for name in names:
        if name.startswith("_") or name in WORDS:
            raise LanguageError(
                f"{owner.__name__}: a variable cannot be called {name!r}, which means something "
                "else of a state: give it another name"
            )


def _require_actions(protocol: type[Protocol]) -> None:
    chosen: Any = protocol.Next
    if not isinstance(chosen, tuple) or not all(isinstance(a, ActionDeclaration) for a in chosen):
        raise LanguageError(
            f"{protocol.__name__}.Next lists its actions, each decorated with @action(): "
            "Next = one_of(First, Second)"
        )


def _require_next(protocol: type[Protocol]) -> None:
    chosen = protocol.Next
    if not chosen:
        raise LanguageError(f"{protocol.__name__} needs Next = one_of(...), its actions")
    names = [declared.name for declared in chosen]
    for name in names:
        if names.count(name) > 1:
            raise DeclaredTwice(f"{protocol.__name__}.Next lists {name} twice: leave one of them")
        if not isinstance(getattr(protocol, name, None), ActionDeclaration):
            raise LanguageError(
                f"{protocol.__name__}.Next lists {name}, which is no action of it: declare "
                "it under the name its function has"
            )
    known = {"Init", *(declared.name for declared in chosen)}
    for name, value in vars(protocol).items():
        if isinstance(value, ActionDeclaration) and name not in known:
            raise LanguageError(
                f"{protocol.__name__}.{name} is an action that Next leaves out: add it to Next, "
                "or drop its decorator"
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
    with nothing_decided("initially"):
        start = Step(everything, frozenset(ghosts), "initially")
        _assigned_only("initially", instance.initially(start))  # type: ignore[func-returns-value]
    follows = _declared(history, Follow).values()

    def extended(one: Action) -> Action:
        for follow in follows:
            if one.name in follow.actions:
                title = follow.function.__name__
                known = {a.name: a.variable for a in one.arguments}
                wanted = list(inspect.signature(follow.function).parameters)[2:]
                for name in wanted:
                    if name not in known:
                        raise LanguageError(
                            f"{one.name} has no argument {name!r} for the history's "
                            f"{title}: {suggest(name, known)}"
                        )
                with nothing_decided(title):
                    step = Step(everything, frozenset(ghosts), title)
                    given = (Handle(known[w]) for w in wanted)
                    _assigned_only(title, follow.function(instance, step, *given))
                one = _merged(one, branches(step))
        return one

    return _merged(initial, branches(start)), tuple(extended(a) for a in actions)


def _merged(one: Action, ghost_branches: tuple[Branch, ...]) -> Action:
    if len(ghost_branches) != 1 or ghost_branches[0].guards:
        raise LanguageError(f"a history cannot restrict {one.name}: assign with ite(...) instead")
    added = ghost_branches[0].updates
    for ghost in added:
        if any(ghost in branch.updates for branch in one.branches):
            raise LanguageError(f"two methods of the history assign {ghost} after {one.name}")
    branches = tuple(Branch(b.guards, {**b.updates, **added}) for b in one.branches)
    return Action(one.name, one.arguments, branches, one.source, one.about, one.fairness)
