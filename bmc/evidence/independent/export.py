"""A certificate as SMT-LIB files: one for each obligation, and a page that says what they mean.

What is to have no answer can be written as clauses with a proof as well, which needs no solver to
check: a checker of proofs is a few hundred lines, and some are verified.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from bmc.evidence.certificate import Certificate
from bmc.evidence.independent.judge import expected_answer, obligations, text_of
from bmc.evidence.independent.obligations import Obligation
from bmc.evidence.markdown import code, plain, table
from bmc.lang.suite import Suite
from bmc.running.file_names import names_apart
from bmc.running.files import (
    UnwritableFile,
    make_folder,
    require_no_stream,
    require_ours,
    write_file,
)
from bmc.solving.unsat_proofs import NoUnsatProof, unsat_proof

PAGE = "README.md"
_BEGINS = "# A proof about "
_LISTED = re.compile(r"^\| `+ ?([^/`]+)\.smt2 ?`+ \|", re.MULTILINE)

_INTRODUCTION = """\
# A proof about {protocol}, to be checked without bmc

Claimed of {protocol} at {parameters}: {claims}.

Each file here is one question in SMT-LIB 2.6 (logic QF_BV) that needs nothing else. Any solver
that reads SMT-LIB can answer it: `cvc5 FILE`, `z3 FILE`, `bitwuzla FILE`. The proof is right if
every answer is the one that is expected. A file also gives it as its `:status`, unless either
answer is right.

Let C be the conjunction of {conjuncts}. {induction} C implies the claims (*safety*), and that no
action takes a value out of its sort (*bounds*), so the claims hold of every state that can be
reached. The questions of *vacuity* show that all this is said about something.

What a question asks for is a *counterexample* where `unsat` is expected, and an *example* where
`sat` is. The constants are the parts of a state by name (`|log[Replica1]#|` is a length, `?` says
whether something is there, `!` what it is), the arguments of an action, and of a statement. Numbers
are bit-vectors with a sign, wide enough that nothing overflows; an enumeration's values and a set's
members are numbered from 0.

That these questions are the protocol's is what is left to believe: they were written from its terms
by `bmc.evidence.independent`, which shares no code with the engine that found the proof.

"""

_OF_BEHAVIOURS = """\
*{claim}* is about behaviours: {formula} under {specification}. The questions are about the
protocol beside a monitor, which has variables and steps of its own, and *safety* asks for a state
in which {bad}. That a behaviour which violates the claim would come to such a state is what the
monitor is made for, and is left to believe as well. That some behaviour is fair is no question
here: it was looked for by `bmc certificate export`.

"""

_PROOFS = """\

Where `unsat` is expected, `NAME.cnf` is the question as clauses (DIMACS), and `NAME.drat` a proof
in DRAT that they contradict each other, found by CaDiCaL. Any checker of such proofs decides it
without a solver: `drat-trim NAME.cnf NAME.drat`. That the clauses are those of `NAME.smt2` is left
to believe: z3 simplified the question and turned its numbers into bits. A file whose only clause is
empty is a question that z3 answered by simplifying it.
"""


def export(
    certificate: Certificate, suite: Suite, folder: Path, proofs: bool = False
) -> list[Path]:
    """Write all obligations of a certificate and a README into a folder; return the files.

    The folder is made if it is not there, and what an earlier export wrote there is removed. With
    ``proofs`` what is to be unsatisfiable is written as clauses with a proof besides. Raises
    CertificateError when the certificate does not belong to the suite, NotJudged when something has
    no reading, NoUnsatProof when there is no such proof, and UnwritableFile; but for a write that
    fails, the folder is then as it was.
    """
    page = folder / PAGE
    require_no_stream(page)
    earlier = _earlier(page)
    found = _apart(obligations(certificate, suite))
    texts = {folder / f"{one.name}.smt2": text_of(one) for one in found}
    if proofs:
        texts |= {path: text for one in found for path, text in _proof(one, folder).items()}
    for path in texts:
        require_no_stream(path)
    for path in texts.keys() - earlier:
        if path.exists():
            require_ours(path, b"", _BEGINS)
    try:
        make_folder(folder)
        for path in earlier:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise UnwritableFile(
            f"cannot write into {folder}: {error.strerror}: name another folder"
        ) from error
    # First, so that what a kill leaves behind belongs to the proof that the page is about.
    write_file(page, _page(certificate, found) + (_PROOFS if proofs else ""))
    for path, text in texts.items():
        write_file(path, text)
    return [*texts, page]


def _earlier(page: Path) -> set[Path]:
    """Return the files that an earlier export wrote beside its page, which lists the questions.

    Files that are left would be taken for questions of the new page. Raises UnwritableFile where
    the page is about something else.
    """
    if not page.is_file():
        return set()
    content = page.read_bytes()
    require_ours(page, content, _BEGINS)
    questions = _LISTED.findall(content.decode(errors="replace"))
    kinds = (".smt2", ".cnf", ".drat")
    return {page.parent / f"{question}{kind}" for question in questions for kind in kinds}


def _apart(found: Iterable[Obligation]) -> list[Obligation]:
    """Return obligations under names that differ where capital letters are not told apart too."""
    listed = list(found)
    names = names_apart(one.name for one in listed)
    return [replace(one, name=name) for one, name in zip(listed, names, strict=True)]


def _proof(one: Obligation, folder: Path) -> dict[Path, str]:
    """Return the texts of the files that prove a question, none where it may have an answer."""
    if one.expected is not False:
        return {}
    try:
        found = unsat_proof(text_of(one))
    except NoUnsatProof as error:
        raise NoUnsatProof(f"{one.name}: {error}: {one.complaint}") from None
    return {folder / f"{one.name}.cnf": found.clauses, folder / f"{one.name}.drat": found.proof}


def _page(certificate: Certificate, found: list[Obligation]) -> str:
    parts = [f"the {len(certificate.conjuncts)} stated conjuncts"] if certificate.conjuncts else []
    if certificate.clauses:
        parts.append(f"{len(certificate.clauses)} clauses that were found")
    at = ", ".join(f"{name} = {value}" for name, value in certificate.parameters.items())
    rows = [(code(f"{one.name}.smt2"), _expected(one), one.about) for one in found]
    claims = ", ".join(statement.name for statement in certificate.claims)
    head = _INTRODUCTION.format(
        protocol=plain(certificate.protocol),
        parameters=plain(at) if at else "its only parameters",
        claims=plain(claims),
        conjuncts=" and ".join(parts) or "nothing (it is TRUE)",
        induction=_induction(certificate.k),
    )
    listed = table(("file", "expected", "what it asks for"), rows)
    return f"{head}{_of_behaviours(certificate)}{listed}\n"


def _of_behaviours(certificate: Certificate) -> str:
    watching = certificate.watching
    if watching is None:
        return ""
    if watching.ranking is not None:
        bad = f"a step was taken on which the rank {plain(watching.ranking)} is wrong"
    elif watching.rounds is None:
        bad = "a state has come back after all was seen that a fair violation shows"
    else:
        bad = f"all that a fair violation shows was seen {watching.rounds} times"
    return _OF_BEHAVIOURS.format(
        claim=plain(watching.claim),
        formula=code(watching.formula),
        specification=plain(watching.specification),
        bad=bad,
    )


def _induction(k: int) -> str:
    if k == 1:
        return (
            "C holds in every initial state (*initiation*), and every step from a state of C leads "
            "to a state of C (*consecution*, a file for each branch of each action)."
        )
    return (
        f"C holds in the first {k} states of every execution (*initiation*), and {k} states of C "
        "in a row are followed by a state of C (*consecution*, a file for each branch of each "
        "action that may be the last)."
    )


def _expected(one: Obligation) -> str:
    return "sat, or unsat if nothing can happen" if one.expected is None else expected_answer(one)
