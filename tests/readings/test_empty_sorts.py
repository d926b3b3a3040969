"""Empty sorts mean what they mean in every reading and engine, and nothing is proved vacuously."""

import pytest

from bmc.engines.explicit import explore
from bmc.engines.ic3.prove import prove as ic3
from bmc.engines.kinduction import prove
from bmc.engines.task import Task
from bmc.evidence.certify import certify
from bmc.evidence.verdict import Verdict
from bmc.lang import (
    BOOL,
    FALSE,
    TRUE,
    BoundedSet,
    Integer,
    KeyedSetSort,
    MapSort,
    Operand,
    OptionSort,
    Parameter,
    Protocol,
    Record,
    Sequence,
    SetSort,
    Sort,
    State,
    Step,
    Suite,
    Term,
    Variable,
    Variant,
    action,
    empty,
    inject,
    invariant,
    mapping,
    one_of,
    record,
)
from bmc.layout.domain import Domains
from bmc.layout.inhabited import EmptySort, lacking
from bmc.readings.value import Interpreter
from bmc.system.transition import TransitionSystem

n = Parameter("n", 0, 0, 3, "how much there is")
Nothing = Integer("Nothing", 1, n)
Some = Integer("Some", 0, 1)
Pair = Record("Pair", some=Some, nothing=Nothing)
Either = Variant("Either", never=Nothing, maybe=BOOL)

Nothings = MapSort(Nothing, Some)

INHABITED: dict[str, tuple[Sort, Operand]] = {
    "option": (OptionSort(Nothing), None),
    "option of a record": (OptionSort(Pair), None),
    "set": (SetSort(Nothing), empty(SetSort(Nothing))),
    "set of records": (SetSort(Pair), empty(SetSort(Pair))),
    "keyed set": (KeyedSetSort(Pair, "some"), empty(KeyedSetSort(Pair, "some"))),
    "keyed by nothing": (KeyedSetSort(Pair, "nothing"), empty(KeyedSetSort(Pair, "nothing"))),
    "sequence": (Sequence(Nothing, 2), empty(Sequence(Nothing, 2))),
    "no room": (Sequence(Some, n), empty(Sequence(Some, n))),
    "bounded set": (BoundedSet(Pair, 2), empty(BoundedSet(Pair, 2))),
    "map from nothing": (Nothings, mapping(Nothing, lambda key: 0, Some)),
    "map from nothing to nothing": (
        MapSort(Nothing, Nothing),
        mapping(Nothing, lambda key: key, Nothing),
    ),
    "variant": (Either, inject(Either, "maybe", FALSE)),
    "option of a map": (OptionSort(MapSort(Some, Nothing)), None),
    "option of less than no room": (OptionSort(Sequence(Some, n - 1)), None),
}
Neither = Variant("Neither", one=Nothing, other=Pair)
UNINHABITED: dict[str, tuple[Sort, Operand]] = {
    "range": (Nothing, 1),
    "record": (Pair, record(Pair, some=0, nothing=1)),
    "map to nothing": (MapSort(Some, Nothing), mapping(Some, lambda key: 1, Nothing)),
    "variant of nothing": (Neither, inject(Neither, "one", 1)),
    "less than no room": (Sequence(Some, n - 1), empty(Sequence(Some, n - 1))),
}


def protocol_of(sort: Sort, start: Operand) -> Suite:
    """A flag that is set once, beside a variable of the sort that never changes."""

    class Beside(Protocol):
        number = n
        what = Variable(sort)
        flag = Variable(BOOL)

        @action()
        def Init(self, s: Step) -> None:
            s.flag = FALSE
            s.what = start

        @action()
        def Raise(self, s: Step) -> None:
            s.require(~s.flag)
            s.flag = TRUE

        Next = one_of(Raise)

        @invariant("the flag is never set")
        def NeverSet(self, s: State) -> Term:
            return ~s.flag

        @invariant("nothing is not the same as itself")
        def Absurd(self, s: State) -> Term:
            return s.what != s.what

        @invariant("nothing is what it is")
        def Same(self, s: State) -> Term:
            return s.what == s.what

    return Suite.of(Beside, "beside")


@pytest.mark.parametrize("name", INHABITED)
def test_every_engine_sees_the_one_value(name: str) -> None:
    suite = protocol_of(*INHABITED[name])
    claims = ("NeverSet", "Absurd", "Same")
    task = Task(suite, {"n": 0}, claims, depth=3)
    explored = explore(task)
    assert (explored.distinct_states, len(explored.levels)) == (2, 2)
    assert set(explored.violations) == {"NeverSet", "Absurd"}
    for engine in (prove, ic3):
        found = {r.property: r for r in engine(task)}
        assert found["NeverSet"].verdict is Verdict.VIOLATED
        assert found["Absurd"].verdict is Verdict.VIOLATED
        assert found["Same"].verdict is Verdict.PROVED
        certificate = found["Same"].certificate
        assert certificate is not None
        certify(certificate, suite)


@pytest.mark.parametrize("name", UNINHABITED)
def test_a_variable_without_a_value_is_a_clear_error(name: str) -> None:
    assert lacking(UNINHABITED[name][0], {"n": 0}) is not None
    suite = protocol_of(*UNINHABITED[name])
    for engine in (explore, prove, ic3):
        with pytest.raises(EmptySort, match="variable what has no value at n=0"):
            engine(Task(suite, {"n": 0}, ("Same",)))


@pytest.mark.parametrize("name", INHABITED)
def test_the_interpreter_knows_the_same_values(name: str) -> None:
    """The value of each sort is a value of it, and is what the circuit decodes."""
    suite = protocol_of(*INHABITED[name])
    system = TransitionSystem(suite.model(False), {"n": 0})
    assert lacking(INHABITED[name][0], {"n": 0}) is None
    (state,) = Interpreter(system.model, Domains({"n": 0})).initial_states()
    assert system.decode(system.encode(state)) == state
