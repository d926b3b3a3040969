"""Events of several machines come in the orders that counters and messages leave, and no other."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from bmc.cli.shared import catalogue
from bmc.conformance.errors import LogError
from bmc.conformance.verdict import Conformance, Conforms, Impossible
from bmc.lang import BOOL, Protocol, Step, Suite, Variable, action, one_of
from bmc.reports.vocabulary import Vocabulary
from tests.cli.running import bmc
from tests.conformance.logged import Fields, Logged, checked

COUNTED = 'source = "node"\ncounter = "seq"\n'
BY_FILE = 'source = "node"\n'
IDS = {"max_id": 5}


def event(node: str, number: int, seq: int = 0, **more: object) -> Fields:
    return {"event": "next", "node": node, "seq": seq, "id": number, **more}


def look(folder: Path, events: Sequence[Fields], order: str, rule: str = "") -> Conformance:
    suite = catalogue.find("id-sequence")
    log = Logged(suite, IDS, Vocabulary.of(suite, IDS), [])
    mapping = (
        (f"[order]\n{order}" if order else "")
        + '[[event]]\nname = "next"\nactions = ["NextId"]\narguments = { id = "$id" }\n'
        + rule
    )
    return checked(folder, log, list(events), mapping)


def test_a_counter_orders_a_source_whatever_the_lines_say(tmp_path: Path) -> None:
    events = [event("a", number, number) for number in range(6)]
    for seed in range(3):
        random.Random(seed).shuffle(events)
        assert isinstance(look(tmp_path, events, COUNTED).verdict, Conforms)
    assert isinstance(look(tmp_path, events, BY_FILE).verdict, Impossible)
    assert isinstance(look(tmp_path, events, "").verdict, Impossible)


def test_a_counter_that_says_another_order_makes_it_impossible(tmp_path: Path) -> None:
    events = [event("a", 0, 1), event("a", 1, 0)]
    verdict = look(tmp_path, events, COUNTED).verdict
    assert isinstance(verdict, Impossible)
    assert verdict.event.line == 2


def test_a_counter_may_leave_numbers_out_and_not_repeat_them(tmp_path: Path) -> None:
    events = [event("a", 1, 20), event("a", 0, 3)]
    assert isinstance(look(tmp_path, events, COUNTED).verdict, Conforms)
    with pytest.raises(LogError, match='line 2: the counter of "a" is 3, as in line 1'):
        look(tmp_path, [event("a", 0, 3), event("a", 1, 3)], COUNTED)


def test_two_sources_are_in_any_order(tmp_path: Path) -> None:
    events = [event("b", 1, 0), event("b", 2, 1), event("a", 0, 0), event("a", 3, 1)]
    found = look(tmp_path, events, COUNTED)
    assert isinstance(found.verdict, Conforms)
    assert list(found.verdict.execution.event_lines()) == [3, 1, 2, 4]


MESSAGES = 'sends = "$out"\nreceives = "$heard"\n'


def test_what_is_received_was_sent_before(tmp_path: Path) -> None:
    free = [event("b", 1, out=[], heard=[]), event("a", 0, out=[], heard=[])]
    assert isinstance(look(tmp_path, free, BY_FILE, MESSAGES).verdict, Conforms)
    told = [event("b", 1, out=[], heard="m"), event("a", 0, out="m", heard=[])]
    assert isinstance(look(tmp_path, told, BY_FILE, MESSAGES).verdict, Conforms)
    # The id that comes second would have to be the first.
    wrong = [event("b", 1, out="m", heard=[]), event("a", 0, out=[], heard="m")]
    verdict = look(tmp_path, wrong, BY_FILE, MESSAGES).verdict
    assert isinstance(verdict, Impossible)
    assert verdict.event.line == 1


@pytest.mark.parametrize(("sent", "heard"), [(1, 1.0), ({"n": [2.0]}, {"n": [2]})])
def test_a_number_is_the_same_message_however_it_is_written(
    tmp_path: Path, sent: object, heard: object
) -> None:
    wrong = [event("b", 1, out=[sent], heard=[]), event("a", 0, out=[], heard=[heard])]
    verdict = look(tmp_path, wrong, BY_FILE, MESSAGES).verdict
    assert isinstance(verdict, Impossible)
    assert verdict.event.line == 1


@pytest.mark.parametrize(
    ("sent", "heard", "same"),
    [
        ("1e23", "1" + "0" * 23, True),
        ("9007199254740993.0", "9007199254740993", True),
        ("9007199254740993.0", "9007199254740992", False),
        ("0.10000000000000000001", '"0.10000000000000000001"', False),
        ("0.1", '"0.1"', False),
        (f"0.{'1' * 4_290}e-300", f"0.{'1' * 4_290}e-300", True),
        (f"0.{'1' * 4_290}e-300", f"0.{'1' * 4_289}2e-300", False),
    ],
)
def test_a_number_of_many_digits_is_itself_and_no_text(
    sent: str, heard: str, same: bool, tmp_path: Path
) -> None:
    look(tmp_path, [event("b", 1, out="@sent"), event("a", 0, out="x", heard="@heard")], "")
    log, file = tmp_path / "log.ndjson", tmp_path / "log.map.toml"
    log.write_text(log.read_text().replace('"@sent"', sent).replace('"@heard"', heard))
    optional = MESSAGES.replace('out"', 'out?"').replace('heard"', 'heard?"')
    file.write_text(f"[order]\n{BY_FILE}{file.read_text()}{optional}")
    found = bmc("trace", "check", "id-sequence", "--log", str(log), "--map", str(file))
    assert found.code == (1 if same else 0)


@pytest.mark.parametrize(("sent", "heard"), [(None, None), ([None], None), (None, ["m", None])])
def test_null_is_no_message(tmp_path: Path, sent: object, heard: object) -> None:
    """It was one that all events with null had sent and received."""
    events = [event("b", 1, out=sent, heard=None), event("a", 0, out=None, heard=heard)]
    assert isinstance(look(tmp_path, events, BY_FILE, MESSAGES).verdict, Conforms)
    alone = [event("a", 0, out=None, heard=None), event("a", 1, out="m", heard=None)]
    assert isinstance(look(tmp_path, alone, BY_FILE, MESSAGES).verdict, Conforms)


def test_what_nobody_sends_holds_nothing_back(tmp_path: Path) -> None:
    events = [event("a", 0, out=[], heard=["elsewhere"])]
    assert isinstance(look(tmp_path, events, BY_FILE, MESSAGES).verdict, Conforms)


def test_one_of_several_senders_is_enough(tmp_path: Path) -> None:
    events = [
        event("c", 1, out=[], heard="m"),
        event("a", 0, out="m", heard=[]),
        event("b", 2, out="m", heard=[]),
    ]
    assert isinstance(look(tmp_path, events, BY_FILE, MESSAGES).verdict, Conforms)


def test_messages_and_counters_that_contradict_are_said_with_a_line(tmp_path: Path) -> None:
    events = [
        event("a", 0, 0, out=[], heard="m"),
        event("a", 1, 1, out="m", heard=[]),
    ]
    with pytest.raises(LogError, match="line 1: no event can be the next one"):
        look(tmp_path, events, COUNTED, MESSAGES)


@pytest.mark.parametrize("number", [0, 7])
def test_events_without_an_order_are_said_whatever_comes_before_them(
    tmp_path: Path, number: int
) -> None:
    """Where an event before them could not happen, such a log was *impossible*."""
    events = [event("b", number, 0, out=[], heard=[])]
    events += [event("a", 1, 0, out=[], heard="m"), event("a", 2, 1, out="m", heard=[])]
    with pytest.raises(LogError, match="line 2: no event can be the next one"):
        look(tmp_path, events, COUNTED, MESSAGES)


@pytest.mark.parametrize(
    ("first", "second", "skew", "either"),
    [
        # As floats, 0.8 - 0.1 is more than 0.7, and 2 ** 53 + 1 - 0.5 is 2 ** 53.
        (0.7, 0.8, 0.1, True),
        (0.7, 0.8, 0.09, False),
        (2**53, 2**53 + 1, 0.5, False),
        (2**53, 2**53 + 1, 1, True),
        (10**400, 10**400 + 1, 0.5, False),
        (1e300, 10**400, 0.5, False),
        (-1, -0.5, 0.5, True),
    ],
)
def test_clocks_differ_as_they_are_written(
    first: float, second: float, skew: float, either: bool, tmp_path: Path
) -> None:
    order = f'source = "node"\nclock = "ms"\nskew = {skew}\n'
    right = [event("a", 0, ms=first), event("b", 1, ms=second)]
    assert isinstance(look(tmp_path, right, order).verdict, Conforms)
    turned = [event("a", 1, ms=first), event("b", 0, ms=second)]
    verdict = look(tmp_path, turned, order).verdict
    assert isinstance(verdict, Conforms if either else Impossible)


@pytest.mark.parametrize(
    ("first", "second", "skew", "either"),
    [
        # A float has sixteen digits: the nearest ones are further apart, or one and the same.
        ("1700000000.0000001", "1700000000.0000002", "0.0000001", True),
        ("1700000000.0000001", "1700000000.0000002", "0.00000009", False),
        ("1700000000.00000001", "1700000000.00000002", "0", False),
        ("17000000000000000001e-11", "170000000.00000000002", "0", False),
        ("1e-400", "0.1e-400", "0", True),
    ],
)
def test_clocks_of_more_digits_than_a_float_differ_as_they_are_written(
    first: str, second: str, skew: str, either: bool, tmp_path: Path
) -> None:
    order = f'source = "node"\nclock = "ms"\nskew = {skew}\n'
    look(tmp_path, [event("a", 1, ms="first"), event("b", 0, ms="second")], "")
    log, file = tmp_path / "log.ndjson", tmp_path / "log.map.toml"
    log.write_text(log.read_text().replace('"first"', first).replace('"second"', second))
    file.write_text(f"[order]\n{order}{file.read_text()}")
    found = bmc("trace", "check", "id-sequence", "--log", str(log), "--map", str(file))
    assert found.code == (0 if either else 1)


def test_a_clock_that_is_no_number_orders_nothing(tmp_path: Path) -> None:
    order = 'source = "node"\nclock = "ms"\n'
    with pytest.raises(LogError, match="which orders nothing"):
        look(tmp_path, [event("a", 0, ms=True)], order)
    log, file = tmp_path / "log.ndjson", tmp_path / "log.map.toml"
    log.write_text(log.read_text().replace("true", "1e400"))
    found = bmc("trace", "check", "id-sequence", "--log", str(log), "--map", str(file))
    assert (found.code, f"{log}, line 1: $ms is inf, which orders nothing" in found.err) == (
        2,
        True,
    )


class Lamp(Protocol):
    """A lamp that somebody lights, and a photograph of it."""

    lit = Variable(BOOL)
    looked = Variable(BOOL)
    seen = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.lit = False
        s.looked = False
        s.seen = False

    @action()
    def Light(self, s: Step) -> None:
        s.require(~s.lit)
        s.lit = True

    @action()
    def Look(self, s: Step) -> None:
        s.looked = True
        s.seen = s.lit

    Next = one_of(Light, Look)


@pytest.mark.parametrize("first", ["a", "b"])
def test_silent_steps_are_tried_in_each_order_that_leads_to_a_cut(
    first: str, tmp_path: Path
) -> None:
    """Where one order had led there, those after another were left out, and that was impossible."""
    logged = Logged(Suite.of(Lamp, "lamp"), {}, Vocabulary.of(Suite.of(Lamp, "lamp"), {}), [])
    mapping = (
        f"[order]\n{BY_FILE}"
        '[silent]\nactions = ["Light"]\nsteps = 1\n'
        '[[event]]\nname = "look"\nactions = ["Look"]\n'
        '[[event]]\nname = "shows"\n'
        '[event.after]\nlit = "$lit?"\nlooked = "$looked?"\nseen = "$seen?"\n'
    )
    looks = {"event": "look", "node": "a"}
    shines = {"event": "shows", "node": "b", "lit": True}
    events = [looks, shines] if first == "a" else [shines, looks]
    dark = {"event": "shows", "node": "b", "looked": True, "seen": False}
    found = checked(tmp_path, logged, [*events, dark], mapping)
    assert isinstance(found.verdict, Conforms)
    assert isinstance(
        checked(tmp_path, logged, [*events, {**dark, "seen": True}], mapping).verdict, Conforms
    )
    never = [*events, dark, {**dark, "seen": True}]
    assert isinstance(checked(tmp_path, logged, never, mapping).verdict, Impossible)
