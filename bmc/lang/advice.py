"""What to write instead: the remedies that error messages about terms end with.

Only words live here; what is an error is decided where terms are made.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Container, Iterator, Mapping
from difflib import get_close_matches
from inspect import getattr_static, signature
from numbers import Integral, Number
from typing import get_args

from bmc.lang.bounds import LONGEST_NUMBER, Quantity, is_too_long
from bmc.lang.sorts import (
    AnySet,
    BoolSort,
    EnumSort,
    IntSort,
    KeyedSetSort,
    MapSort,
    OptionSort,
    RecordSort,
    Scalar,
    SequenceSort,
    Sort,
    VariantSort,
    unknown_sort,
)

_METHODS = {
    "add": "insert(collection, element)",
    "discard": "remove(collection, element)",
    "remove": "remove(collection, element)",
    "union": "a | b",
    "intersection": "a & b",
    "difference": "a - b",
    "issubset": "a <= b",
    "append": "append(sequence, element)",
    "pop": "tail(sequence)",
    "get": "collection[key]",
}

_READ = {
    "head": "at(sequence, 0)",
    "tail": "tail(sequence)",
    "size": "size(collection)",
    "length": "size(collection)",
    "contains": "member(element, collection)",
}

_OTHER_WORDS = {
    "And": "a & b",
    "Append": "append(sequence, element)",
    "BOOLEAN": "BOOL",
    "Bool": "BOOL",
    "Boolean": "BOOL",
    "CHOOSE": "choose(Sort, lambda x: …)",
    "Cardinality": "size(set)",
    "DOMAIN": "the sort of the map's keys",
    "EXCEPT": "s.map[key] = value",
    "Enum": 'EnumSort("Name", ("a", "b"))',
    "Enumeration": 'EnumSort("Name", ("a", "b"))',
    "Exists": "exists(Sort, lambda x: …)",
    "ForAll": "forall(Sort, lambda x: …)",
    "Head": "at(sequence, 0)",
    "IF": "ite(condition, then, otherwise)",
    "If": "ite(condition, then, otherwise)",
    "Implies": "implies(a, b)",
    "Int": 'Integer("Name", low, high)',
    "Len": "size(sequence)",
    "Map": "MapSort(keys, values)",
    "NULL": "None",
    "Nat": 'Integer("Name", low, high)',
    "Not": "~a",
    "Option": "OptionSort(sort)",
    "Optional": "OptionSort(sort)",
    "Or": "a | b",
    "SUBSET": "SetSort(elements)",
    "Seq": "Sequence(elements, at_most)",
    "Set": "SetSort(elements)",
    "SubSeq": "take(sequence, n)",
    "Tail": "tail(sequence)",
    "UNCHANGED": "nothing: what is not assigned stays",
    "UNION": "union_of(Sort, lambda x: …, sort)",
    "contains": "member(element, set)",
    "difference": "S - T",
    "either": "with s.either(): once for each case, side by side",
    "head": "at(sequence, 0)",
    "intersection": "S & T",
    "length": "size(sequence)",
    "none": "None",
    "require": "s.require(guard)",
    "subset": "S <= T",
    "union": "S | T",
}

_MADE_AS = {
    "BoundedSet": "BoundedSet(elements, at_most)",
    "EnumSort": 'EnumSort("Name", ("a", "b"))',
    "Integer": 'Integer("Name", low, high)',
    "KeyedSetSort": 'KeyedSetSort(record_sort, "key")',
    "MapSort": "MapSort(keys, values)",
    "Monitor": 'name = Monitor(sort, "what it means")',
    "OptionSort": "OptionSort(sort)",
    "Parameter": 'n = Parameter("n", default=3, low=1, high=5, about="…")',
    "Record": 'Record("Name", field=sort, …)',
    "record": "record(Sort, field=value, …)",
    "Scalarset": 'Scalarset("Name", size)',
    "Sequence": "Sequence(elements, at_most)",
    "SetSort": "SetSort(elements)",
    "Variable": 'name = Variable(sort, "what it means")',
    "Variant": 'Variant("Name", Case=sort, …)',
    "alias": '@alias("what it is", x=Sort)',
    "choose": "choose(Sort, lambda x: …)",
    "exists": "exists(Sort, lambda x: …)",
    "filtered": "filtered(Sort, lambda x: …)",
    "forall": "forall(Sort, lambda x: …)",
    "invariant": '@invariant("what it says", x=Sort)',
    "lemma": '@lemma("what it says", x=Sort)',
    "mapping": "mapping(Sort, lambda x: …, sort_of_values)",
    "rank": 'rank(number, …, by=[helpful("Action")])',
    "ranking": '@ranking("why", proves="Claim", x=Sort)',
    "Specification": 'Specification("Name", (weak("Action"),))',
    "step_invariant": '@step_invariant("what it says", x=Sort)',
    "temporal": '@temporal("what it says", specification="Name", x=Sort)',
    "witness": '@witness("what it says", x=Sort)',
}

_SORTS = frozenset(one.__name__ for one in (*get_args(Sort), *get_args(Scalar)))

_OF_A_SORT = (
    "; a sort has no member by number: take one as an argument of the action, x=Sort, and require "
    "of it what holds of it"
)

_AS_IT_IS = "; write its value as it is, without a part"

NESTED_TOO_DEEPLY = (
    "a term is nested too deeply to be read: write long chains of conditionals as a map, "
    "or as actions of their own"
)
"""What is said of a RecursionError."""


def instead_of_field(sort: Sort, name: str) -> str:
    """The function of the language for what is a method in Python, where there is one."""
    if isinstance(sort, RecordSort):
        return ""
    if isinstance(sort, VariantSort):
        return _of_a_case(sort, name)
    if isinstance(sort, OptionSort):
        held = isinstance(sort.inner, RecordSort) and name in dict(sort.inner.fields)
        return instead_of_option(sort, f".{name}" if held else "")
    if isinstance(sort, MapSort) and name == "keys":
        return "; a map is not written out with **: assign s.map[key] = value, the others stay"
    if name in _READ:
        return f"; write {_READ[name]}"
    if name not in _METHODS:
        return "; its value at a key is s.map[key]" if isinstance(sort, MapSort) else _AS_IT_IS
    return f"; terms are never changed in place: assign {_METHODS[name]}"


def _of_a_case(sort: VariantSort, name: str) -> str:
    if any(name == tag for tag, _ in sort.cases):
        return (
            f'; where is_case(x, "{name}") holds, write payload(x, "{name}"), and for a new value '
            f'inject({sort}, "{name}", value)'
        )
    for tag, held in sort.cases:
        if isinstance(held, RecordSort) and any(name == one for one, _ in held.fields):
            return f'; where is_case(x, "{tag}") holds, write payload(x, "{tag}").{name}'
    return ""


def instead_of_option(sort: OptionSort, part: str = "") -> str:
    """How the value of an option, or a part of it, is written."""
    return f"; {sort} is an option: where is_some(x) holds, write the(x){part}"


def shown(value: object) -> str:
    """A value of Python as messages name it: none by its address, and a sort by its name."""
    if isinstance(value, Sort):
        return str(value)
    if isinstance(value, int) and is_too_long(value):
        return f"a number of more than {LONGEST_NUMBER} digits"
    if isinstance(value, list | tuple | set | frozenset) and value:
        inside = ", ".join(map(shown, value))
        if isinstance(value, tuple):
            return f"({inside})"
        return f"[{inside}]" if isinstance(value, list) else f"{{{inside}}}"
    text = repr(value)
    if " at 0x" not in text:
        return text
    # A state answers to any name: it is not asked for its own.
    name = getattr_static(value, "name", None) or getattr_static(value, "__name__", None)
    return name if isinstance(name, str) else f"a {type(value).__name__}"


def instead_of_call(said: str, words: Mapping[str, object]) -> str:
    """What to write for the call that Python refused with these words, among the language's."""
    if "context manager protocol" in said:
        return "; write its parentheses, with s.either():"
    if "'ActionDeclaration' and" in said:
        return "; actions are listed: Next = one_of(First, Second)"
    if "Step.require() got" in said:
        return "; a guard has no name: write s.require(guard, …)"
    if "Step.either() takes" in said:
        return f"; it takes nothing: write {_OTHER_WORDS['either']}"
    if re.search(r"'Step' object (is not subscriptable|does not support item)", said):
        return "; a variable is s.name"
    if "'function' object is not subscriptable" in said:
        return "; a word is called, with parentheses: some(x), forall(Sort, lambda x: …)"
    if made := re.match(r"type '(\w+)' is not subscriptable$", said):
        return "; it is called, with parentheses" + _as_it_is_written(made[1], words)
    if re.search(r"(operand type.*|^)'(Variable|Monitor)'", said) and "callable" not in said:
        return "; a variable's value is s.name, not self.name"
    if set(re.findall(r"'(\w+)'", _operands(said))) & _SORTS:
        return (
            "; a sort is no value: everything(Sort) is the set of its members, and its ends or "
            "its size are what it was made with"
        )
    if re.search(r"'(Parameter|Amount)'", _operands(said)):
        return "; a parameter is an integer: of it write + - * // % and comparisons with integers"
    if indexed := re.match(r"'(\w+)' object is not subscriptable$", said):
        return _OF_A_SORT if indexed[1] in _SORTS else ""
    method = re.match(r"\w+\.(\w+)\(\) takes (\d+) positional .* (\d+) (?:was|were) given", said)
    if method and method[1] != "__init__" and int(method[3]) == int(method[2]) + 1:
        return f"; self is counted: write def {method[1]}(self, …)"
    if wrong := re.match(r"(\w+)(?:\.__init__)?\(\) (?:missing|takes|got)", said):
        return _nearest_argument(said, words.get(wrong[1])) or _as_it_is_written(wrong[1], words)
    called = re.match(r"'(\w+)' object is not callable$", said)
    match called and called[1]:
        case None:
            return ""
        case RecordSort.__name__:
            return "; a record is made with record(Sort, field=value, …)"
        case VariantSort.__name__:
            return '; a value of a variant is made with inject(Variant, "Case", value)'
        case name if name in _SORTS:
            return (
                "; a sort is no function. One that has the name of a word of the language, such as "
                "Record, hides it: give it another name"
            )
    return "; the value of a map at a key is s.map[key]"


def _operands(said: str) -> str:
    """What Python says of the two sides of an operator that it refused, if it speaks of one."""
    found = re.search(r"(?:operand type(?:\(s\))? for|between instances of) .*", said)
    return found[0] if found else ""


def _nearest_argument(said: str, word: object) -> str:
    """What a word of the language may have been given under a name that is no argument of its."""
    # Where Python is of 3.13 or later it has said so itself.
    mute = sys.version_info < (3, 13)
    given = re.search(r"unexpected keyword argument '(\w+)'", said) if mute else None
    known = signature(word).parameters if given and callable(word) else ()
    near = get_close_matches(given[1], known, n=1) if given else []
    return f"; did you mean {near[0]}?" if near else ""


def _as_it_is_written(name: str, words: Mapping[str, object]) -> str:
    if name in _MADE_AS:
        return f"; write {_MADE_AS[name]}"
    if callable(word := words.get(name)):
        return f"; write {name}({', '.join(signature(word).parameters)})"
    return ""


def instead_of_attribute(owner: object, name: str) -> str:
    """What to write where Python found no attribute of this name."""
    if isinstance(owner, EnumSort) and name in owner.values:
        return f'; a value is its name in quotes, "{name}"'
    if isinstance(owner, VariantSort):
        return '; a value of a variant is made with inject(Variant, "Case", value)'
    return ""


def instead_of_variable(name: str, owner: object, arguments: Container[str]) -> str:
    """How a name is written that was read of the state, and is an argument or its class's."""
    if name in arguments:
        return f"it is an argument, {name}"
    found = getattr_static(owner, name, None)
    if isinstance(found, Quantity):
        return f"it is a parameter, self.{name}"
    if isinstance(found, Sort):
        return f"it is a sort, self.{name}"
    return f"it is a method of the class, self.{name}" if callable(found) else ""


def instead_of_name(name: str, words: Container[str], in_a_method: bool = True) -> str:
    """What to write for a name that Python does not know, among the words of the language.

    A word of the language was not imported, one of TLA+ or of another language has its own name
    here, and what a class declares is reached through ``self`` and the state.
    """
    if name == "self":
        return "; in the body of the class what it declares has no self. in front"
    if name in words:
        return f"; it is a word of the language: from bmc.lang import {name}"
    if name in _OTHER_WORDS:
        return f"; write {_OTHER_WORDS[name]}"
    if not in_a_method:
        return "; in the body of a class only what stands above is known"
    return (
        f"; in a method, what the class declares is self.{name}, a variable s.{name}, and an "
        "argument stands in its def line"
    )


def instead_of_number(sort: Sort) -> str:
    """How a collection becomes a number, or a longer one, where it was computed with."""
    if isinstance(sort, SequenceSort):
        return "; write size(sequence) for its length, and append(sequence, element) for q + [x]"
    if isinstance(sort, AnySet):
        return (
            "; write size(set) for how many it has, S | T for a union, and (S <= T) & (S != T) "
            "where S has less than T"
        )
    if isinstance(sort, OptionSort) and isinstance(sort.inner, IntSort):
        return instead_of_option(sort)
    if isinstance(sort, BoolSort):
        return "; of formulas write implies(a, b), a == b or a != b, and ite(a, 1, 0) for a number"
    return ""


def instead_of_index(sort: Sort) -> str:
    """How a part of what is no map is written, where there is a way."""
    if isinstance(sort, SequenceSort):
        return "; write at(sequence, i), from 0, and tail(sequence) or take(sequence, n) for a part"
    if isinstance(sort, KeyedSetSort):
        return "; write lookup(set, key), an option, and the(lookup(set, key)) where there is one"
    if isinstance(sort, RecordSort):
        return "; a field is x.name"
    if isinstance(sort, OptionSort) and isinstance(sort.inner, MapSort):
        return instead_of_option(sort, "[key]")
    if isinstance(sort, VariantSort):
        return '; where is_case(x, "Case") holds, write payload(x, "Case")'
    return "; write member(element, set)" if isinstance(sort, AnySet) else _AS_IT_IS


NONE_IS_OF_OPTIONS = (
    "; None is a value of OptionSort(…) alone: beside it a value is some(x), and a function that "
    "returns nothing gives None, too"
)


def to_make(sort: Sort) -> str:
    """How a value of a sort without literals is written."""
    match sort:
        case MapSort(key, _):
            return (
                f": assign one entry, s.variable[key], or all with mapping({key}, lambda …, sort)"
            )
        case _ if isinstance(sort, AnySet):
            return ": write {element, …}, empty(sort), insert(…) or remove(…)"
        case SequenceSort():
            return ": write (), empty(sort), append(…), tail(…) or take(…)"
        case RecordSort():
            return f": write record({sort}, field=value, …)"
        case VariantSort(_, cases):
            return f': write inject({sort}, "{cases[0][0]}", value)'
        case OptionSort():
            return ""
        case _ if isinstance(sort, Scalar):
            return ""
        case _:
            unknown_sort(sort)


def standing_alone(value: object) -> str:
    """Why a Python value that needs a sort has none."""
    if isinstance(value, str):
        return (
            "; a name is read where it is compared or assigned, and == binds weaker than & and |: "
            f"write (x == {value!r}) & y"
        )
    if isinstance(value, Sort):
        return (
            f": it is a sort and no value; everything({value}) is the set of its members, and how "
            "many there are is what it was made with"
        )
    if isinstance(value, list | tuple | dict) and not value:
        return ": write empty(sort), or mapping(keys, lambda key: …, sort) of a map"
    if isinstance(value, list | tuple):
        return ": without brackets, conj(a, b) is what holds together, disj(a, b) what is a choice"
    if isinstance(value, set | frozenset):
        return f": write coerce({shown(value)}, SetSort(sort)) with the sort of its elements"
    if isinstance(value, Iterator | range):
        return ": write its members out behind a *, conj(*…), disj(*…)"
    # A state answers to any name: it is not asked for its own.
    if isinstance(getattr_static(value, "sort", None), Sort):
        name = shown(value)
        return f": a variable's value is s.{name}, not self.{name}"
    if isinstance(value, Integral):
        return ": write int(…), which makes it a number of Python's"
    if isinstance(value, Number):
        return ": numbers are integers"
    if type(value).__module__ == "bmc.lang.state":
        return ": it is the state as a whole; name a variable of it, s.x"
    if isinstance(value, slice):
        return ": a map is assigned key by key, s.map[key] = value, or whole, s.map = mapping(…)"
    if value is None:
        return ": a function that returns nothing gives None; write its return"
    if callable(value):
        return ": write the formula that it returns; a claim's method takes the steps it speaks of"
    return ""
