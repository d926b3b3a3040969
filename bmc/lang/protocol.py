"""What protocols are written with: parameters, variables, actions, and a history's ghosts.

A protocol is a Python class whose methods are the specification's actions, under their own names;
a variant of a protocol is a subclass that says only what differs. :mod:`bmc.lang.describe` turns
the class into a :class:`~bmc.lang.model.Model`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

from bmc.lang.advice import shown
from bmc.lang.build import FALSE, argument, conj
from bmc.lang.decided import nothing_decided
from bmc.lang.declared import (
    Declaration,
    Declaring,
    require_one_each,
    require_undecorated,
    run_with,
)
from bmc.lang.errors import LanguageError, ParameterError, placed, suggest
from bmc.lang.model import Action, Argument, Source
from bmc.lang.parameters import Parameter
from bmc.lang.places import here
from bmc.lang.sorts import AnySet, BitSet, Sort, require_enumerable, require_sort
from bmc.lang.state import State, Step, branches, state_variable
from bmc.lang.terms import Expr, Handle

if TYPE_CHECKING:
    from bmc.lang.drawing import Drawing


class Variable(Declaration):
    """A state variable; its name is the class attribute it is assigned to."""

    def __init__(self, sort: Sort, about: str = "") -> None:
        self.sort = sort
        self.about = about
        self.name = ""
        self.line = here()

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __setitem__(self, key: object, value: object) -> NoReturn:
        name = self.name
        raise LanguageError(f"a protocol holds no values: assign s.{name}[…], not self.{name}[…]")

    def __eq__(self, other: object) -> NoReturn:
        name = self.name
        raise LanguageError(f"{name} has no value by itself: write s.{name}, not self.{name}")

    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __add__ = __sub__ = __getitem__ = __eq__
    __hash__ = object.__hash__


class Monitor(Variable):
    """A variable that only claims and monitors read: what a monitor has to remember.

    It is part of the state like any other, so explorations count it and traces show it. No guard,
    no choice and no other variable's next value can depend on it, so it never influences the
    protocol. A :class:`History` says the same beside the lemmas, and explorations leave it out.
    """


Declared = TypeVar("Declared")


ChoiceDomain = Sort | Variable
"""What an existential choice ranges over: a scalar sort, the subsets of one, or the set a
variable holds."""


class ActionDeclaration(Declaration):
    """An action as it is written: a method and the domains of its choices."""

    def __init__(
        self,
        function: Callable[..., object],
        choices: Mapping[str, ChoiceDomain],
        fairness: str | None = None,
    ) -> None:
        require_undecorated(function)
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
        require_one_each(function)

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Call the method itself, to build one action out of another."""
        if not args and not kwargs:
            raise LanguageError(
                f"{self.name}() runs the action, without a protocol and a step: "
                f"name it only, as in one_of({self.name})"
            )
        if args and isinstance(args[0], Step):
            owner = self.function.__qualname__.rpartition(".")[0]
            raise LanguageError(
                f"self.{self.name}(…) does not run the action on this step: write "
                f"{owner}.{self.name}(self, …), with all else as it is"
            )
        self.function(*args, **kwargs)

    def describe(self, protocol: object, sorts: Mapping[str, Sort]) -> Action:
        """Run the method once on symbolic arguments and write down what it says."""
        source = Source.of(self.function)
        with placed(source.file, source.line, self.name):
            arguments = tuple(
                self._argument(type(protocol), name, domain, sorts)
                for name, domain in self.choices.items()
            )
            with nothing_decided(self.name):
                step = Step(sorts, frozenset(sorts), self.name, protocol, self.choices)
                given = [Handle(one.variable) for one in arguments]
                require_assignments_only(
                    self.name, run_with(self.function, (protocol, step), given)
                )
        return Action(
            self.name,
            arguments,
            branches(step, [one.drawn for one in arguments]),
            source,
            inspect.getdoc(self.function) or "",
            self.fairness,
        )

    def _argument(
        self, owner: type, name: str, domain: ChoiceDomain, sorts: Mapping[str, Sort]
    ) -> Argument:
        if isinstance(domain, Variable):
            called = domain.name
            if not any(vars(base).get(called) is domain for base in owner.__mro__):
                raise LanguageError(
                    f"{self.name}: {name} ranges over a variable {called} that is none of "
                    f"{owner.__name__}: name the set that its own class declares"
                )
            sort = sorts[called]
            if not isinstance(sort, AnySet):
                raise LanguageError(f"{self.name}: {name} ranges over {called}, which is no set")
            return Argument(name, argument(name, sort.element), state_variable(called, sort))
        require_sort(domain, f"{self.name}'s argument {name}")
        listed = domain.element if isinstance(domain, BitSet) else domain
        require_enumerable(listed, f"{self.name}'s argument {name}")
        return Argument(name, argument(name, domain), None)


def require_assignments_only(name: str, returned: object) -> None:
    """Refuse what an action gives back: a guard would be lost, a generator has not even run."""
    if inspect.iscoroutine(returned):
        returned.close()
    if returned is not None:
        raise LanguageError(
            f"{name} returns something, which would be lost: write s.require(...) for a guard and "
            "s.x = ... for a new value, and neither return, yield nor async"
        )


def action(
    *misplaced: object, fairness: str | None = None, **choices: ChoiceDomain
) -> Callable[[Callable[..., None]], ActionDeclaration]:
    """Declare a method ``(self, s, *choices)`` as an action ``\\E choices : …``.

    ``fairness`` is None, ``"weak"`` or ``"strong"``.
    """
    if misplaced:
        (first, *_) = misplaced
        if not callable(first) or isinstance(first, Declaration):
            raise LanguageError(
                "@action is given a name for what an argument ranges over: "
                f"@action(x={shown(first)})"
            )
        name = getattr(first, "__name__", first)
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
            if isinstance(one, list | tuple):
                remedy = "leave its brackets out"
            raise LanguageError(
                f"one_of lists actions, and {called or shown(one)} is none: {remedy}, as in "
                "one_of(First, Second)"
            )
    return actions


_GIVEN = "parameters given"
"""Where an instance keeps its values: under no name that a protocol can declare."""


class Protocol(metaclass=Declaring):
    """Base of every protocol.

    A subclass declares parameters and variables as class attributes, an ``Init`` (an action
    that assigns every variable) and ``Next``, the tuple of its actions in the specification's
    order. An action that a subclass writes again under the same name replaces the inherited.

    An instance is the protocol at the parameter values that it is made with, defaults for the
    rest; its methods still see parameters, and no values. Raises ParameterError as
    :func:`parameter_values` does.
    """

    Next: tuple[ActionDeclaration, ...] = ()
    Init: ClassVar[ActionDeclaration]

    def __init__(self, *unnamed: object, **given: int) -> None:
        if unnamed:
            called = type(self).__name__
            names = ", ".join(f"{p.name}=…" for p in parameters_of(type(self)))
            raise ParameterError(
                f"{called}(…) takes the values of its parameters by their names: {called}({names})"
            )
        if given:
            parameter_values(type(self), given)
        object.__setattr__(self, _GIVEN, given)

    if not TYPE_CHECKING:
        # A type checker would take it that there are all attributes.

        def __getattribute__(self, name: str) -> Any:
            found = object.__getattribute__(self, name)
            if name[:2] != "__" and (given := vars(self).get(_GIVEN)):
                called = type(self).__name__
                raise LanguageError(
                    f"{called}({', '.join(f'{n}={v}' for n, v in given.items())}).{name} would be "
                    "that of all values, since methods and sorts see parameters and no values: "
                    f"write {called}().{name}, whose parameters are the protocol's of these names"
                )
            return found

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value}" for name, value in values_given(self).items())
        return f"{type(self).__name__}({values})"

    def Constraint(self, s: State) -> Expr:
        """The state constraint; TRUE unless a protocol says otherwise."""
        return Handle(conj())

    def terminated(self, s: State) -> Expr:
        """Whether a state is an end that is meant: ``--deadlock`` accepts that no step follows."""
        return Handle(FALSE)

    def drawn(self, s: State) -> Drawing | None:
        """How traces are drawn (:mod:`bmc.lang.drawing`); if it is left out, by the sorts."""
        return None

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise LanguageError(f"a protocol holds no values: assign s.{name}, not self.{name}")


def drawing_said(protocol: Protocol, state: State) -> Drawing | None:
    """Return how a protocol says that it is drawn; what it declares by that name says nothing.

    Raises LanguageError where a method of its own returns nothing.
    """
    said: Any = protocol.drawn
    if isinstance(said, Declaration):
        return None
    drawing: Drawing | None = said(state)
    if drawing is None and (function := type(protocol).drawn) is not Protocol.drawn:
        error = LanguageError("`drawn` returns nothing: end it with `return Drawing(…)`")
        if inspect.isfunction(function):
            source = Source.of(function)
            error.place = source.file, source.line
        raise error
    return drawing


def values_given(protocol: Protocol) -> dict[str, int]:
    """Return the parameter values that an instance was made with, and no defaults.

    Raises ParameterError where a subclass made the instance in a way of its own.
    """
    try:
        return dict(vars(protocol)[_GIVEN])
    except KeyError:
        name = type(protocol).__name__
        raise ParameterError(
            f"{name} has an __init__ of its own, which keeps no parameter values: leave it out"
        ) from None


def parameters_of(protocol: type[Protocol]) -> tuple[Parameter, ...]:
    """The declared parameters, parents' first, in order of declaration."""
    return tuple(declared_in(protocol, Parameter).values())


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


def declared_in(owner: type, kind: type[Declared]) -> dict[str, Declared]:
    """What a class and its bases declare of a kind, by name; a class replaces what a base has."""
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

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise LanguageError(f"a history holds no values: assign a ghost s.{name}, not self.{name}")


@dataclass(frozen=True)
class Follow(Declaration):
    """A history's method and the actions it follows, some of them ``shared`` with others."""

    function: Callable[..., object]
    actions: tuple[str, ...]
    shared: frozenset[str]

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Call the method itself, to build one out of that of a base."""
        self.function(*args, **kwargs)


def after(*actions: str | ActionDeclaration) -> Callable[[Callable[..., None]], Follow]:
    """Declare a history's method ``(self, s, *names)`` to run with each of these actions.

    It receives the action's arguments that it names; it reads the state before the step. What is
    named by a text is an action of the protocol; of a history that serves several the actions
    are named themselves (``Other.Act``), and each protocol has one of them at least.

    Raises LanguageError where something else than an action stands there.
    """
    given: tuple[Any, ...] = actions
    for one in given:
        if not isinstance(one, str | ActionDeclaration):
            called = getattr(one, "__name__", None) or shown(one)
            raise LanguageError(
                f"@after names the actions that a method follows, and {called} is none: write "
                'each in quotes, @after("Action")'
            )
    shared = {one.name for one in actions if isinstance(one, ActionDeclaration)}
    names = tuple(one.name if isinstance(one, ActionDeclaration) else one for one in actions)

    def declare(function: Callable[..., None]) -> Follow:
        require_undecorated(function)
        return Follow(function, names, frozenset(shared))

    return declare
