"""The text of a lock: TOML that merges by line, is the same for the same content, and is sealed.

A model's block carries a seal over what it says, so that a merge or an edit that bmc did not
make is noticed, and changes in different blocks still merge. The last line says that the file
is whole: TOML itself would take a lock that was cut between two blocks for a shorter one.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import sha256

from bmc.evidence.untrusted import too_many_digits
from bmc.regress.errors import LockFormatError, NewerLock
from bmc.regress.fields import DocumentTable
from bmc.regress.lock import (
    CATALOGUE,
    NAMED,
    EvidenceFile,
    Expected,
    Lock,
    LockedModel,
    LockedProperty,
)

FORMAT = 3
"""The latest format. A lock is written in the earliest that can say what it says."""
_READABLE = (1, 2, 3)
_WITHOUT_TEMPORAL = 2
_FIELDS = ("name", "expected", "statement", "engine")
_TRACE = ("trace_length", "evidence", "sha256")
_PROOF = ("k", "found_by", "evidence", "sha256")
_PROOF_FOR_ALL = ("found_by", "evidence", "sha256")
_EXPLORATION = ("distinct_states", "evidence", "sha256")
_LASSO = ("specification", "trace_length", "loop", "evidence", "sha256")
_PROOF_OF_TEMPORAL = ("specification", "k", "found_by", "evidence", "sha256")
_GRAPH = ("specification", "distinct_states")
ALL_PARAMETERS = "all"
"""Stands for a model's parameters in a block about every value of them."""
_HEAD = """\
# What is proven and what is refuted here, and must stay so.
# `bmc regress` checks it, `bmc regress --update` writes it. Commit it; do not edit it.
"""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_CONFLICT = re.compile(r"^(<{7}|\|{7}|={7}|>{7})( |$)", re.MULTILINE)
_MEND = (
    "restore it from version control (`git checkout -- FILE`), or remove it and let "
    "--update decide everything again"
)


def text_of(lock: Lock) -> str:
    """The text of a lock."""
    blocks = [_block(model) for model in sorted(lock.models, key=lambda m: m.key)]
    later = any(m.named or any(p.specification for p in m.properties) for m in lock.models)
    number = FORMAT if later else _WITHOUT_TEMPORAL
    head = f"{_HEAD}\nformat = {number}\nfollows = {_string(lock.follows)}\n"
    return "\n".join([head, *blocks, "[end]\n"])


def lock_of(text: str, name: str) -> Lock:
    """The lock that a text says; ``name`` is how messages call it.

    Raises LockFormatError with what is wrong and what to do, or NewerLock.
    """
    # Some editors, in which conflicts are solved, begin a file with it.
    text = text.removeprefix("\ufeff")
    if marker := _CONFLICT.search(text):
        line = text.count("\n", 0, marker.start()) + 1
        raise LockFormatError(
            f"{name}, line {line}: a merge left its conflict markers: take either side "
            f"(`git checkout --ours {name}`), then --update brings it up to date"
        )
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise LockFormatError(
            f"{name} is damaged or was cut short ({error}): {_mend(name)}"
        ) from None
    except ValueError:
        raise LockFormatError(f"{name} is damaged ({too_many_digits()}): {_mend(name)}") from None
    found = document.get("format")
    if isinstance(found, int) and found > FORMAT:
        raise NewerLock(
            f"{name} has format {found}, and this bmc knows formats up to {FORMAT}: "
            "install the bmc that wrote it, or a later one"
        )
    if found not in _READABLE:
        if text.startswith(_HEAD) or _HEAD.startswith(text.rstrip()):
            raise LockFormatError(f"{name} was cut short: {_mend(name)}")
        # Nobody is to remove a file that is something else.
        raise LockFormatError(f"{name} is no lock of bmc: it lacks `format = {_WITHOUT_TEMPORAL}`")
    if "end" not in document:
        raise LockFormatError(f"{name} was cut short: its last line is missing; {_mend(name)}")
    try:
        return _read(DocumentTable(document, name))
    except LockFormatError as error:
        raise LockFormatError(f"{error}: {_mend(name)}") from None


def _mend(name: str) -> str:
    return _MEND.replace("FILE", name)


def _block(model: LockedModel) -> str:
    body = _body(model)
    head, rest = body.split("\n", 1)
    return f"{head}\nseal = {_string(_seal(body))}\n{rest}"


def _seal(body: str) -> str:
    return sha256(body.encode()).hexdigest()[:16]


def _body(model: LockedModel) -> str:
    """All that a block says, without its seal."""
    values = ", ".join(f"{_key(n)} = {v}" for n, v in sorted(model.parameters.items()))
    table = f"{{ {values} }}" if values else "{}"
    lines = [
        "[[model]]",
        f"protocol = {_string(model.protocol)}",
        f"parameters = {_string(ALL_PARAMETERS) if model.for_all else table}",
        f"fingerprint = {_string(model.fingerprint)}",
        f"plain_fingerprint = {_string(model.plain_fingerprint)}",
        *([f"holds = {_string(NAMED)}"] if model.named else []),
        "",
        "[model.parts]",
        *(f"{_key(n)} = {_string(d)}" for n, d in sorted(model.parts.items())),
    ]
    for stated in sorted(model.properties, key=lambda p: p.name):
        lines += ["", "[[model.property]]", *_property(stated)]
    return "\n".join(lines) + "\n"


def _property(stated: LockedProperty) -> Iterable[str]:
    file = stated.evidence
    values: Mapping[str, str | int | None] = {
        "name": stated.name,
        "expected": stated.expected.value,
        "statement": stated.statement,
        "engine": stated.engine,
        "k": stated.k,
        "found_by": stated.found_by,
        "trace_length": stated.trace_length,
        "distinct_states": stated.distinct_states,
        "depth": stated.depth,
        "specification": stated.specification,
        "loop": stated.loop,
        "evidence": None if file is None else file.name,
        "sha256": None if file is None else file.sha256,
    }
    for name, value in values.items():
        if value is not None:
            yield f"{name} = {_string(value) if isinstance(value, str) else value}"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _string(name)


def _string(text: str) -> str:
    # TOML's basic strings are JSON's but for this control character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _read(whole: DocumentTable) -> Lock:
    follows = whole.text("follows")
    if follows not in (CATALOGUE, NAMED):
        raise whole.wrong(f"follows is {follows!r}, and not {CATALOGUE!r} or {NAMED!r}")
    whole.only("format", "follows", "model", "end")
    models = tuple(_read_model(block) for block in whole.blocks("model", "protocol"))
    for key, times in Counter(model.key for model in models).items():
        if times > 1:
            raise whole.wrong(f"{key[0]} is there twice at the same parameters")
    return Lock(follows, tuple(sorted(models, key=lambda m: m.key)))


def _read_model(block: DocumentTable) -> LockedModel:
    for_all = block.has("parameters", ALL_PARAMETERS)
    block.only(
        "protocol",
        "parameters",
        "seal",
        "fingerprint",
        "plain_fingerprint",
        "holds",
        "parts",
        "property",
    )
    model = LockedModel(
        block.text("protocol"),
        {} if for_all else block.table("parameters").integers(),
        block.text("fingerprint"),
        block.text("plain_fingerprint"),
        block.table("parts").texts(),
        tuple(_read_property(p, for_all) for p in block.blocks("property", "name")),
        for_all,
        block.has("holds"),
    )
    if model.named and block.text("holds") != NAMED:
        raise block.wrong(f"it can hold what is {NAMED!r}, and nothing else can be said of that")
    for name, times in Counter(p.name for p in model.properties).items():
        if times > 1:
            raise block.wrong(f"{name} is there twice")
    if block.text("seal") != _seal(_body(model)):
        raise block.wrong("it is not what bmc wrote: somebody edited it, or merged inside it")
    return model


def _read_property(block: DocumentTable, for_all: bool) -> LockedProperty:
    word = block.text("expected")
    if word not in {e.value for e in Expected}:
        raise block.wrong(f"nothing can be expected to be {word!r}")
    expected = Expected(word)
    if for_all and expected is not Expected.PROVED:
        raise block.wrong("what is locked at all parameter values is proved, and nothing else")
    told = _PROOF_FOR_ALL if for_all else _told(expected, block)
    block.only(*_FIELDS, *told)
    return LockedProperty(
        block.text("name"),
        expected,
        block.text("statement"),
        block.text("engine"),
        _read_evidence(block) if "evidence" in told else None,
        k=block.integer("k") if "k" in told else None,
        found_by=block.text("found_by") if "found_by" in told else None,
        trace_length=block.integer("trace_length") if "trace_length" in told else None,
        distinct_states=block.integer("distinct_states") if "distinct_states" in told else None,
        depth=block.integer("depth") if "depth" in told else None,
        specification=block.text("specification") if "specification" in told else None,
        loop=block.integer("loop") if "loop" in told else None,
    )


def _told(expected: Expected, block: DocumentTable) -> tuple[str, ...]:
    """The fields that tell of a verdict, beside those that every property has."""
    if block.has("specification"):
        return _told_of_temporal(expected, block)
    match expected:
        case Expected.VIOLATED | Expected.REACHED:
            return _TRACE
        case Expected.UNREACHED:
            return _EXPLORATION
        case Expected.UNKNOWN:
            return ("depth",)
    return _PROOF if block.has("k") else _EXPLORATION


def _told_of_temporal(expected: Expected, block: DocumentTable) -> tuple[str, ...]:
    match expected:
        case Expected.VIOLATED:
            return _LASSO
        case Expected.PROVED:
            return _PROOF_OF_TEMPORAL if block.has("k") else _GRAPH
    raise block.wrong(f"a temporal claim is not expected to be {expected.value!r}")


def _read_evidence(block: DocumentTable) -> EvidenceFile:
    file = block.text("evidence")
    if "/" in file or "\\" in file or file in ("", ".", ".."):
        raise block.wrong(f"{file!r} is no file of the folder beside the lock")
    return EvidenceFile(file, block.text("sha256"))
