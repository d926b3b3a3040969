"""Faults planted in the expansion, each with a claim that it decides wrongly.

The claim is about every state of :class:`~tests.semantics.planting.Probe`. Under the fault the
finder and `certify`, who both expand terms, judge it wrongly; the independent judge does not expand
and must not.
"""

from __future__ import annotations

from bmc.lang import (
    TRUE,
    append,
    at,
    choose,
    conj,
    exists,
    filtered,
    first,
    forall,
    implies,
    inject,
    insert,
    is_case,
    is_none,
    is_some,
    ite,
    last,
    mapping,
    member,
    one,
    payload,
    remove,
    size,
    some,
    tail,
    take,
    the,
    union_of,
)
from bmc.lang.build import lookup
from bmc.lang.terms import literal, make, term_of
from tests.semantics.planting import (
    Count,
    Counts,
    Fault,
    Kind,
    Pair,
    all_like_the_first,
    always_defined,
    argument,
    constant,
    first_element,
    first_part,
    greatest,
    instead,
    nothing,
    one_more,
    one_too_few,
    same,
    stored,
    strict,
    whole,
)

FAULTS = (
    Fault(
        "ite drops its second branch",
        ("ite",),
        argument(1),
        lambda s: ite(s.flag, s.n, s.m) == s.n,
    ),
    Fault(
        "ite drops its first branch", ("ite",), argument(2), lambda s: ite(s.flag, s.n, s.m) == s.m
    ),
    Fault(
        "ite swaps its branches",
        ("ite",),
        instead("ite", lambda a: (a[0], a[2], a[1])),
        lambda s: implies(s.flag, ite(s.flag, s.n, s.m) == s.m),
    ),
    Fault(
        "ite reads both branches",
        ("ite",),
        strict,
        lambda s: ite(is_some(s.opt), the(s.opt), 0) >= 0,
    ),
    Fault(
        "a conjunction loses its last part",
        ("and",),
        instead("and", lambda a: a[:-1]),
        lambda s: (s.n <= 2) & s.flag,
    ),
    Fault(
        "a conjunction reads all its parts",
        ("and",),
        strict,
        lambda s: ~(is_some(s.opt) & (the(s.opt) > 2)),
    ),
    Fault(
        "a conjunction always has a value",
        ("and",),
        always_defined,
        lambda s: conj(the(s.opt) <= 2, TRUE),
    ),
    Fault(
        "a disjunction loses its last part",
        ("or",),
        instead("or", lambda a: a[:-1]),
        lambda s: ~((s.n > 2) | s.flag),
    ),
    Fault(
        "a disjunction reads all its parts",
        ("or",),
        strict,
        lambda s: is_none(s.opt) | (the(s.opt) >= 0),
    ),
    Fault(
        "an implication is turned round",
        ("implies",),
        instead("implies", lambda a: a[::-1]),
        lambda s: implies(s.flag, s.n > 2),
    ),
    Fault(
        "an implication reads its conclusion always",
        ("implies",),
        strict,
        lambda s: implies(is_some(s.opt), the(s.opt) >= 0),
    ),
    Fault("a negation is lost", ("not",), argument(0), lambda s: ~(s.n <= 2)),
    Fault("at most is less than", ("le",), instead("lt"), lambda s: ~((s.n <= s.m) & (s.m <= s.n))),
    Fault("less than is at most", ("lt",), instead("le"), lambda s: (s.n < s.m) | (s.m < s.n)),
    Fault("a sum is one too large", ("add",), one_more, lambda s: s.n + s.m > s.n),
    Fault(
        "a difference is turned round",
        ("sub",),
        instead("sub", lambda a: a[::-1]),
        lambda s: s.n - 0 <= 0,
    ),
    Fault(
        "a product is the square",
        ("mul",),
        instead("mul", lambda a: (a[0], a[0])),
        lambda s: s.n * 2 == s.n + s.n,
    ),
    Fault(
        "a quotient is rounded up",
        ("div",),
        instead("div", lambda a: (make("add", (a[0], literal(1)), a[0].sort), a[1])),
        lambda s: s.n // 2 * 2 <= s.n,
    ),
    Fault(
        "a remainder is a quotient", ("mod",), instead("div"), lambda s: (s.n + 2) % 2 == s.n % 2
    ),
    Fault("a divisor may be zero", ("div", "mod"), always_defined, lambda s: same(s.n % s.m)),
    Fault("equality always holds", ("eq",), constant(True), lambda s: s.n == s.m),
    Fault(
        "a value outside its sort is one",
        ("narrow",),
        always_defined,
        lambda s: same(member(s.n + 1, s.bits)),
    ),
    Fault("none has a value", ("the",), always_defined, lambda s: same(the(s.opt))),
    Fault("a value becomes none", ("some",), nothing, lambda s: some(s.n) == None),  # noqa: E711
    Fault("none is never", ("is_none",), constant(False), lambda s: is_some(s.opt)),
    Fault("every field is the first", ("field",), first_part, lambda s: s.rec.b == s.rec.a),
    Fault(
        "a field is not changed",
        ("with_field",),
        whole,
        lambda s: make("with_field", (term_of(s.rec), term_of(s.n)), Pair, "a") == s.rec,
    ),
    Fault(
        "a payload of another case is read",
        ("payload",),
        always_defined,
        lambda s: same(payload(s.kind, "A")),
    ),
    Fault(
        "every case is the right one", ("is_case",), constant(True), lambda s: is_case(s.kind, "A")
    ),
    Fault(
        "a case is the first one",
        ("inject",),
        nothing,
        lambda s: is_case(inject(Kind, "B", s.flag), "A"),
    ),
    Fault(
        "a map is read at its first key",
        ("select",),
        first_part,
        lambda s: s.table[s.n] == s.table[0],
    ),
    Fault("a store is lost", ("store",), whole, lambda s: stored(s) == s.table),
    Fault("an insertion is lost", ("insert",), whole, lambda s: insert(s.bits, s.n) == s.bits),
    Fault(
        "a taken key is overwritten silently",
        ("insert",),
        always_defined,
        lambda s: same(insert(s.keyed, s.rec)),
    ),
    Fault(
        "a full set takes one more",
        ("insert",),
        always_defined,
        lambda s: same(insert(s.loose, s.n)),
    ),
    Fault("a removal is lost", ("remove",), whole, lambda s: remove(s.bits, s.n) == s.bits),
    Fault(
        "a union is an intersection",
        ("union",),
        instead("intersection"),
        lambda s: (s.bits | s.more) <= s.bits,
    ),
    Fault(
        "an intersection is a union",
        ("intersection",),
        instead("union"),
        lambda s: s.bits <= (s.bits & s.more),
    ),
    Fault(
        "a difference takes nothing away",
        ("difference",),
        whole,
        lambda s: (s.bits - s.more) == s.bits,
    ),
    Fault("every set is a subset", ("subset",), constant(True), lambda s: s.bits <= s.more),
    Fault("nothing is a member", ("member",), constant(False), lambda s: ~member(s.n, s.bits)),
    Fault("a look-up finds nothing", ("lookup",), nothing, lambda s: is_none(lookup(s.keyed, s.n))),
    Fault("a size is one too large", ("size",), one_more, lambda s: size(s.row) > 0),
    Fault(
        "a full sequence takes one more",
        ("append",),
        always_defined,
        lambda s: same(append(s.row, s.n)),
    ),
    Fault(
        "an element beyond the end is read", ("at",), always_defined, lambda s: same(at(s.row, 0))
    ),
    Fault(
        "every element is the first",
        ("at",),
        first_element,
        lambda s: implies(size(s.row) == 2, at(s.row, 1) == at(s.row, 0)),
    ),
    Fault(
        "a tail is the whole",
        ("tail",),
        whole,
        lambda s: implies(size(s.row) > 0, tail(s.row) == s.row),
    ),
    Fault(
        "what is taken is the whole",
        ("take",),
        whole,
        lambda s: implies(size(s.row) == 2, take(s.row, 1) == s.row),
    ),
    Fault(
        "forall leaves out the last member",
        ("forall",),
        one_too_few,
        lambda s: forall(Count, lambda x: x < 2),
    ),
    Fault(
        "exists leaves out the last member",
        ("exists",),
        one_too_few,
        lambda s: ~exists(Count, lambda x: x > 1),
    ),
    Fault(
        "a filter leaves out the last member",
        ("filter",),
        one_too_few,
        lambda s: ~member(2, filtered(Count, lambda x: TRUE)),
    ),
    Fault(
        "a union of sets leaves out the last",
        ("union_of",),
        one_too_few,
        lambda s: ~member(2, union_of(Count, lambda x: one(x), Counts)),
    ),
    Fault(
        "the choice is the greatest",
        ("choose",),
        greatest,
        lambda s: choose(Count, lambda x: x >= s.n) == 2,
    ),
    Fault(
        "the last is the first",
        ("last",),
        instead("first"),
        lambda s: last(Count, lambda x: x <= s.n, 0) == 0,
    ),
    Fault(
        "the first is the last",
        ("first",),
        instead("last"),
        lambda s: first(Count, lambda x: x >= s.n, 0) == 2,
    ),
    Fault(
        "all entries of a map are the first",
        ("lambda",),
        all_like_the_first,
        lambda s: mapping(Count, lambda x: x, Count)[s.n] == 0,
    ),
)
