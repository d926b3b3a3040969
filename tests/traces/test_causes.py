"""How a violation came about: which steps mattered, what they changed and what they settled."""

from bmc.evidence.replay import replay
from bmc.evidence.trace import Trace
from bmc.lang import (
    Expr,
    Integer,
    MapSort,
    Protocol,
    Scalarset,
    Sequence,
    State,
    Step,
    Term,
    Variable,
    action,
    append,
    at,
    conj,
    empty,
    implies,
    invariant,
    ite,
    mapping,
    one_of,
    operator,
    size,
    step_invariant,
    take,
)
from bmc.lang.show import show
from bmc.lang.state import state_variable
from bmc.lang.suite import Suite
from bmc.lang.terms import term_of
from bmc.layout.domain import Domains
from bmc.readings.value import ConcreteState, Interpreter
from bmc.reports.traces.explanation_steps import chapters, source_text
from bmc.reports.traces.explanations import explanation_lines
from bmc.reports.traces.instances import Violation, violation
from bmc.reports.vocabulary import Vocabulary

Node = Scalarset("Node", 2)
Number = Integer("Number", 0, 3)
Log = Sequence(Number, 3)


@operator
def Last(log: Expr) -> Term:
    return at(log, size(log) - 1)


class Counted(Protocol):
    """Nodes write, raise a mark and forget."""

    log = Variable(MapSort(Node, Log))
    mark = Variable(MapSort(Node, Number))

    @action()
    def Init(self, s: Step) -> None:
        s.log = mapping(Node, lambda n: empty(Log), Log)
        s.mark = mapping(Node, lambda n: 0, Number)

    @action(node=Node)
    def Write(self, s: Step, node: Expr) -> None:
        s.require(size(s.log[node]) < 3)
        s.log[node] = append(s.log[node], 3)

    @action(node=Node)
    def Raise(self, s: Step, node: Expr) -> None:
        s.require(s.mark[node] < size(s.log[node]))
        s.mark[node] = s.mark[node] + 1

    @action(node=Node)
    def Forget(self, s: Step, node: Expr) -> None:
        s.require(size(s.log[node]) > 0)
        s.log[node] = take(s.log[node], size(s.log[node]) - 1)

    Next = one_of(Write, Raise, Forget)


@invariant("What is below the mark is there.", node=Node)
def Kept(m: Counted, s: State, node: Expr) -> Term:
    return implies(s.mark[node] > 0, s.mark[node] <= size(s.log[node]))


@invariant("A marked log ends with 3.", node=Node)
def EndsWell(m: Counted, s: State, node: Expr) -> Term:
    return implies(s.mark[node] > 0, Last(s.log[node]) == 3)


@step_invariant("Nothing is forgotten below the mark.", node=Node)
def Grows(m: Counted, s: State, t: State, node: Expr) -> Term:
    return conj(s.mark[node] <= size(t.log[node]))


SUITE = Suite("counted", Counted, "", (Kept, EndsWell, Grows))
INTERPRETER = Interpreter(SUITE.model(False), Domains({}))


def path(*steps: tuple[str, int]) -> Trace:
    states: list[ConcreteState] = [next(iter(INTERPRETER.initial_states()))]
    for name, node in steps:
        (after,) = [
            way.state
            for way in INTERPRETER.successors(states[-1])
            if way.action == name and way.arguments["node"] == node
        ]
        states.append(after)
    return replay(INTERPRETER, states)


STORY = path(("Write", 0), ("Write", 1), ("Write", 1), ("Raise", 1), ("Forget", 1), ("Forget", 1))


def found(name: str, trace: Trace = STORY) -> Violation:
    return violation(SUITE, {}, name, trace)


def told(name: str, trace: Trace = STORY) -> list[tuple[int, str, str, str, list[str]]]:
    words = Vocabulary.of(SUITE, {})
    return [
        (one.step, turn.part, turn.before, turn.now, [f"{f} {t}" for f, t in turn.settled])
        for one in chapters(words, found(name, trace).causes)
        for turn in one.turns
    ]


def test_a_false_property_came_about_in_the_last_changes_of_what_it_compares() -> None:
    assert told("Kept") == [
        (4, "mark[n2]", "0", "1", ["0 < mark[n2] true"]),
        (6, "Len(log[n2])", "1", "0", ["mark[n2] <= Len(log[n2]) false"]),
    ]


def test_what_happened_to_others_does_not_matter() -> None:
    steps = ("Write", 0), ("Raise", 0), ("Write", 1), ("Raise", 1), ("Forget", 1), ("Write", 0)
    assert [step for step, *_ in told("Kept", path(*steps))] == [4, 5]


def test_where_a_property_has_no_value_the_story_says_what_took_it() -> None:
    settled = ["Last(log[n2]) no value"]
    assert (6, "Len(log[n2]) - 1", "0", "-1", settled) in told("EndsWell")


def test_the_step_of_a_step_invariant_is_the_one_that_breaks_it() -> None:
    assert [(step, now) for step, _, _, now, _ in told("Grows")] == [(4, "1"), (6, "0")]


def test_an_initial_state_needs_no_causes() -> None:
    class Bad(Counted):
        """It starts with a mark."""

        @action()
        def Init(self, s: Step) -> None:
            s.log = mapping(Node, lambda n: empty(Log), Log)
            s.mark = mapping(Node, lambda n: 1, Number)

    suite = Suite("bad", Bad, "", (Kept,))
    interpreter = Interpreter(suite.model(False), Domains({}))
    trace = replay(interpreter, [next(iter(interpreter.initial_states()))])
    assert violation(suite, {}, "Kept", trace).why is not None
    assert violation(suite, {}, "Kept", trace).causes == ()


def test_an_operator_is_called_by_its_name_where_it_should_be_brief_and_only_there() -> None:
    whole, other = state_variable("whole", Log), state_variable("other", Log)
    assert show(term_of(Last(whole)), brief=True) == "Last(whole)"
    assert "Last" not in show(term_of(Last(whole)))
    assert term_of(Last(whole)) is not term_of(Last(other))
    assert term_of(Last(whole)) is term_of(at(whole, size(whole) - 1))


def test_what_a_step_had_read_is_said_with_who_left_it() -> None:
    class Issued(Protocol):
        """Numbers are issued from a source, which can go back; an even one is written as 0."""

        source = Variable(Number)
        issued = Variable(MapSort(Node, Number))
        other = Variable(Number)

        @action()
        def Init(self, s: Step) -> None:
            s.source, s.other = 0, 1
            s.issued = mapping(Node, lambda n: 0, Number)

        @action()
        def Back(self, s: Step) -> None:
            s.source = 0

        @action()
        def Disturb(self, s: Step) -> None:
            s.other = 2

        @action(node=Node)
        def Issue(self, s: Step, node: Expr) -> None:
            s.require(s.source < 3)
            number = ite(s.source == 2, s.other, s.source + 1)
            s.source = number
            s.issued[node] = number

        Next = one_of(Back, Disturb, Issue)

    @invariant("No number is issued twice.", one=Node, two=Node)
    def Unique(m: Issued, s: State, one: Expr, two: Expr) -> Term:
        return implies(conj(one != two, s.issued[one] > 0), s.issued[one] != s.issued[two])

    suite = Suite("issued", Issued, "", (Unique,))
    interpreter = Interpreter(suite.model(False), Domains({}))
    states = [next(iter(interpreter.initial_states()))]
    for name, node in (("Disturb", None), ("Issue", 0), ("Back", None), ("Issue", 1)):
        (after,) = [
            way.state
            for way in interpreter.successors(states[-1])
            if way.action == name and way.arguments.get("node") == node
        ]
        states.append(after)
    seen = violation(suite, {}, "Unique", replay(interpreter, states))
    words = Vocabulary.of(suite, {})
    # The side of the conditional that was not taken was not read.
    told = [(one.step, source_text(words, one), one.since) for one in seen.sources]
    assert told == [(4, "source = 0", 3)]


def test_an_index_is_read_and_what_it_leads_to_may_be_older() -> None:
    class Table(Protocol):
        """A number is taken from a table, at the place whose turn it is."""

        turn = Variable(Number)
        table = Variable(MapSort(Number, Number))
        taken = Variable(Number)

        @action()
        def Init(self, s: Step) -> None:
            s.turn, s.taken = 0, 0
            s.table = mapping(Number, lambda n: n, Number)

        @action()
        def Turn(self, s: Step) -> None:
            s.turn = 2

        @action()
        def Take(self, s: Step) -> None:
            s.taken = s.table[s.turn]

        Next = one_of(Turn, Take)

    @invariant("2 is never taken.")
    def NotTwo(m: Table, s: State) -> Term:
        return s.taken != 2

    suite = Suite("table", Table, "", (NotTwo,))
    interpreter = Interpreter(suite.model(False), Domains({}))
    states = [next(iter(interpreter.initial_states()))]
    for name in ("Turn", "Take"):
        ways = interpreter.successors(states[-1])
        states.append(next(way.state for way in ways if way.action == name))
    seen = violation(suite, {}, "NotTwo", replay(interpreter, states))
    words = Vocabulary.of(suite, {})
    # table[2] has been what it is from the start.
    assert [(source_text(words, s), s.since) for s in seen.sources] == [("turn = 2", 1)]


def shared(number: Expr, value: Expr) -> Term:
    """A term of 80 parts with 2^40 ways through them, of which a value of the number takes one."""
    one = term_of(value)
    for _ in range(40):
        one = ite(number == 0, one, ite(number == 1, 0, one))
    return one


class Shared(Protocol):
    """A translated text shares parts so, where what it defines is used again and again."""

    chosen = Variable(Number)
    x = Variable(Number)
    y = Variable(MapSort(Number, Number))

    @action()
    def Init(self, s: Step) -> None:
        s.chosen = 3
        s.x = 0
        s.y = mapping(Number, lambda n: 0, Number)

    @action()
    def First(self, s: Step) -> None:
        s.x = 3

    @action()
    def Second(self, s: Step) -> None:
        s.y = mapping(Number, lambda n: shared(n, s.x), Number)

    Next = one_of(First, Second)


@invariant("The third stays below one.")
def Low(m: Shared, s: State) -> Term:
    return shared(s.chosen, s.y[2]) < 1


def test_parts_that_are_shared_are_read_once_and_written_as_far_as_there_is_room() -> None:
    suite = Suite("shared", Shared, "", (Low,))
    interpreter = Interpreter(suite.model(False), Domains({}))
    states = [next(iter(interpreter.initial_states()))]
    for name in ("First", "Second"):
        ways = interpreter.successors(states[-1])
        states.append(next(way.state for way in ways if way.action == name))
    seen = violation(suite, {}, "Low", replay(interpreter, states))
    words = Vocabulary.of(suite, {})
    assert [(source_text(words, s), s.since) for s in seen.sources] == [("x = 3", 1)]
    assert seen.why is not None
    (line,) = explanation_lines(words, seen.why)
    assert (line.values, len(line.text), line.text[-1]) == ("3 < 1", 110, "…")
