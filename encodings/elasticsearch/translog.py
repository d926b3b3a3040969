"""The translog: a map from sequence numbers to entries, which may have holes.

``DOMAIN ntlog`` is where an entry is; a map that is defined nowhere is the specification's
``<< >>``. An entry's ``id`` and ``value`` are Nil together, so they are one optional document:
none is the entry that fills a hole. Its ``term`` is ``primaryTerm`` here, as in messages and
answers.
"""

from bmc.encodings.elasticsearch.constants import (
    ClientValue,
    DocumentId,
    PrimaryTerm,
    Seq,
)

from bmc.lang import (
    BOOL,
    Expr,
    MapSort,
    Operand,
    OptionSort,
    Record,
    conj,
    disj,
    forall,
    implies,
    is_some,
    ite,
    last,
    mapping,
    operator,
    record,
    some,
    the,
)

Document = Record("Document", id=DocumentId, value=ClientValue)
Entry = Record("Entry", document=OptionSort(Document), primaryTerm=PrimaryTerm, pc=BOOL)
Slot = OptionSort(Entry)
Translog = MapSort(Seq, Slot)


@operator
def MaxSeq(ntlog: Expr) -> Expr:
    return last(Seq, lambda i: is_some(ntlog[i]), 0)


@operator
def ConfirmedTlogSlot(ntlog: Expr, i: Expr) -> Expr:
    return conj(is_some(ntlog[i]), ~the(ntlog[i]).pc)


@operator
def MaxConfirmedSeq(ntlog: Expr) -> Expr:
    """The CHOOSE has one candidate: the last number up to which every slot is confirmed."""

    def confirmed_up_to(i: Expr) -> Expr:
        return forall(Seq, lambda j: implies(j <= i, ConfirmedTlogSlot(ntlog, j)))

    return last(Seq, confirmed_up_to, 0)


def marked(entry: Expr, pc: Operand) -> Expr:
    """``[entry EXCEPT !.pc = pc]``."""
    return record(Entry, document=entry.document, primaryTerm=entry.primaryTerm, pc=pc)


@operator
def MarkPC(ntlog: Expr, globalCP: Expr) -> Expr:
    def slot(j: Expr) -> Expr:
        marks = conj(is_some(ntlog[j]), j > globalCP)
        return ite(marks, some(marked(the(ntlog[j]), True)), ntlog[j])

    return mapping(Seq, slot, Slot)


@operator
def FillAndUnmarkPC(ntlog: Expr, storedTerm: Expr, globalCP: Expr) -> Expr:
    """``ntlog[j]`` without an entry up to the global checkpoint has no value there, nor here."""
    noop = record(Entry, document=None, primaryTerm=storedTerm, pc=False)

    def entry(j: Expr) -> Expr:
        return ite(
            j > globalCP,
            ite(is_some(ntlog[j]), marked(the(ntlog[j]), False), noop),
            the(ntlog[j]),
        )

    return mapping(Seq, lambda j: ite(j <= MaxSeq(ntlog), some(entry(j)), None), Slot)


@operator
def TrimTlog(ntlog: Expr, maxseq: Expr, minterm: Expr) -> Expr:
    def slot(j: Expr) -> Expr:
        keeps = conj(is_some(ntlog[j]), disj(j <= maxseq, the(ntlog[j]).primaryTerm >= minterm))
        return ite(keeps, ntlog[j], None)

    return mapping(Seq, slot, Slot)


def with_entry(ntlog: Expr, seq: Expr, entry: Expr) -> Expr:
    """``(seq :> entry) @@ ntlog``."""
    return mapping(Seq, lambda j: ite(j == seq, some(entry), ntlog[j]), Slot)
