"""Messages in flight: requests, and the responses that take their place.

A request and its response have the id and the called node in common, and no two calls have both:
so ``messages`` is a set with that pair as its key, which is checked, not assumed. Held so, the set
is never full: only the state constraint bounds it. The fields are the specification's, said once:

- ``source`` and ``dest`` are caller and callee of a request, callee and caller of a response;
- ``method`` is the case of ``content``, which a response copies from its request; ``id`` and
  ``value`` are Nil together, so they are one optional ``document``; ``term`` is ``primaryTerm``;
- ``request`` is the case of ``stage``.

``client`` of a TrimTranslog request is always FALSE and absent from its response, so it is left
out; a TrimTranslog response has no ``localCP`` in the specification, and here it stays 0.
"""

from bmc.encodings.elasticsearch.constants import CheckPoint, Node, PrimaryTerm, RequestId, Seq
from bmc.encodings.elasticsearch.translog import Document

from bmc.lang import (
    BOOL,
    Expr,
    KeyedSetSort,
    Operand,
    OptionSort,
    Record,
    Step,
    Variant,
    empty,
    inject,
    insert,
    is_case,
    ite,
    payload,
    record,
    remove,
)

Call = Record("Call", req=RequestId, callee=Node)
Replication = Record(
    "Replication",
    seq=Seq,
    rterm=PrimaryTerm,
    sterm=PrimaryTerm,
    document=OptionSort(Document),
    client=BOOL,
)
TrimTranslog = Record("TrimTranslog", maxseq=CheckPoint, primaryTerm=PrimaryTerm)
Content = Variant("Content", Replication=Replication, TrimTranslog=TrimTranslog)
Request = Record("Request", globalCP=CheckPoint)
Response = Record("Response", localCP=CheckPoint, success=BOOL)
Stage = Variant("Stage", Request=Request, Response=Response)
Message = Record("Message", call=Call, caller=Node, content=Content, stage=Stage)
Messages = KeyedSetSort(Message, "call")


def replication_request(
    *, source: Expr, dest: Expr, req: Operand, globalCP: Expr, **fields: Operand
) -> Expr:
    """``[request |-> TRUE, method |-> Replication, …]``; ``fields`` are those of Replication."""
    content = inject(Content, "Replication", record(Replication, **fields))
    return _request(source, dest, req, content, globalCP)


def trim_request(
    *, source: Expr, dest: Expr, req: Operand, globalCP: Expr, **fields: Operand
) -> Expr:
    """``[request |-> TRUE, method |-> TrimTranslog, …]``; ``fields`` are those of TrimTranslog."""
    content = inject(Content, "TrimTranslog", record(TrimTranslog, **fields))
    return _request(source, dest, req, content, globalCP)


def _request(source: Expr, dest: Expr, req: Operand, content: Expr, globalCP: Expr) -> Expr:
    return record(
        Message,
        call=record(Call, req=req, callee=dest),
        caller=source,
        content=content,
        stage=inject(Stage, "Request", record(Request, globalCP=globalCP)),
    )


def sent_if(condition: Expr, message: Expr) -> Expr:
    """``{message}`` where the condition holds, else ``{}``: a term of a union over nodes."""
    nothing = empty(Messages)
    return ite(condition, insert(nothing, message), nothing)


def is_request(m: Expr) -> Expr:
    """``m.request``."""
    return is_case(m.stage, "Request")


def is_replication(m: Expr) -> Expr:
    """``m.method = Replication``; of the two methods, the other is TrimTranslog."""
    return is_case(m.content, "Replication")


def request(m: Expr) -> Expr:
    """The fields that only a request has."""
    return payload(m.stage, "Request")


def response(m: Expr) -> Expr:
    """The fields that only a response has."""
    return payload(m.stage, "Response")


def replication(m: Expr) -> Expr:
    """The fields of a Replication message."""
    return payload(m.content, "Replication")


def trim(m: Expr) -> Expr:
    """The fields of a TrimTranslog message."""
    return payload(m.content, "TrimTranslog")


def Reply(s: Step, response: Expr, request: Expr) -> None:
    s.messages = insert(remove(s.messages, request), response)


def _answer(m: Expr, localCP: Operand, success: Operand) -> Expr:
    return record(
        Message,
        call=m.call,
        caller=m.caller,
        content=m.content,
        stage=inject(Stage, "Response", record(Response, localCP=localCP, success=success)),
    )


def DefaultResponse(m: Expr, localCP: Operand = 0) -> Expr:
    """``[DefaultResponse(m) EXCEPT !.localCP = localCP]``; without it, 0 as published."""
    return _answer(m, localCP, True)


def FailedResponse(m: Expr) -> Expr:
    return _answer(m, 0, False)


def turned_to_failure(m: Expr) -> Expr:
    """``[m EXCEPT !.success = FALSE]`` of a response: its local checkpoint stays in it."""
    return _answer(m, response(m).localCP, False)
