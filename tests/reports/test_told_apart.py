"""Different values have different texts in each form, whatever their names are; no text is two."""

import json

import pytest

from bmc.lang import (
    BOOL,
    EnumSort,
    Integer,
    MapSort,
    OptionSort,
    Protocol,
    Record,
    Scalarset,
    Sequence,
    SetSort,
    Sort,
    Step,
    Suite,
    Variable,
    Variant,
    action,
)
from bmc.reports.notation import value_text
from bmc.reports.tla_values import tla_text
from bmc.reports.traces.itf import ItfParser, itf_value
from bmc.reports.traces.parsing import Parser
from bmc.reports.values import value_json
from bmc.reports.vocabulary import Vocabulary


class Bit(Protocol):
    """What sorts are asked of: it has parameters, and they are none."""

    bit = Variable(BOOL)

    @action()
    def Init(self, s: Step) -> None:
        s.bit = False

    Next = (Init,)


ODD = EnumSort("Odd", ("None", "none", "a", "b", "a, b", "a: b", "", " a", '"a"', "a\nb", "\x1b"))
FEW = EnumSort("Few", ("none", "a"))
ONE, OTHER = EnumSort("One", ("x", "x, b=y")), EnumSort("Other", ("z", "y, b=z"))
SORTS = [
    OptionSort(ODD),
    SetSort(ODD),
    Sequence(ODD, 2),
    Variant("Said", Odd=OptionSort(ODD), Few=FEW),
    MapSort(EnumSort("Two", ("k", "k,l")), OptionSort(ODD)),
    MapSort(OptionSort(FEW), BOOL),
    MapSort(Record("Pair", a=ONE, b=OTHER), BOOL),
    MapSort(Record("Held", few=OptionSort(FEW)), BOOL),
]


@pytest.mark.parametrize("sort", SORTS, ids=str)
def test_each_value_has_a_text_of_its_own_and_is_read_back(sort: Sort) -> None:
    words = Vocabulary.of(Suite("Bit", Bit, "is", ()), {})
    values = words.domains.values(sort)
    for form in (value_text, tla_text):
        texts = [form(words, sort, value) for value in values]
        assert len(set(texts)) == len(values)
        assert all(text.isprintable() for text in texts)
    for value in values:
        plain = json.loads(json.dumps(value_json(words, sort, value)))
        assert Parser(words).checked(sort, plain, "here") == value
        itf = json.loads(json.dumps(itf_value(words, sort, value)))
        assert ItfParser(words).checked(sort, itf, "here") == value


def test_plain_names_stand_without_quotes() -> None:
    words = Vocabulary.of(Suite("Bit", Bit, "is", ()), {})
    sort = EnumSort("Plain", ("LEADER", "not-yet", "in progress", "2.1", "später"))
    assert [value_text(words, sort, one) for one in sort.values] == list(sort.values)


def test_a_function_without_arguments_is_what_tlc_prints() -> None:
    words = Vocabulary.of(Suite("Bit", Bit, "is", ()), {})
    for key in (Scalarset("Nobody", 0), Integer("Nothing", 1, 0)):
        assert tla_text(words, MapSort(key, BOOL), ()) == "<<>>"
