"""Faults to plant in bmc, each as one line of it written otherwise, and the probe for each.

Nothing of bmc is imported here: a child process plants a fault before it imports bmc.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """In ``module`` the text ``old``, which occurs once, becomes ``new``; ``probes`` look at it."""

    name: str
    module: str
    old: str
    new: str
    probes: tuple[str, ...]


def _mutant(name: str, module: str, old: str, new: str, *probes: str) -> Mutant:
    return Mutant(name, f"bmc.{module}", old, new, probes)


MUTANTS = (
    # The transition system and its unrolling.
    _mutant(
        "a scalar is framed by no clause",
        "system.unrolling",
        "            solver.clause(*writers, stays)\n",
        "",
        "bounded",
        "k-induction",
    ),
    _mutant(
        "two rules at once",
        "system.unrolling",
        "        self.solver.at_most_one(selectors)\n",
        "",
        "bounded",
        "k-induction",
    ),
    _mutant(
        "a step by no rule",
        "system.unrolling",
        "        solver.clause(*here.selectors)\n",
        "",
        "bounded",
        "k-induction",
    ),
    _mutant(
        "a guard is not asked",
        "system.unrolling",
        "            solver.clause(off, here.read(part))\n",
        "            pass\n",
        "bounded",
        "k-induction",
    ),
    _mutant(
        "any state is initial",
        "system.unrolling",
        "        self.solver.add(self.at(self.system.initially(self.cone), 0))\n",
        "        self.frame(0)\n",
        "bounded",
    ),
    _mutant(
        "the constraint is not kept",
        "system.unrolling",
        "            self.solver.add(made.read(self.system.constraint))\n",
        "",
        "bounded",
        "protocols",
    ),
    _mutant(
        "only the first rule that overflows counts",
        "system.transition",
        "any(r.overflow for r in self.rules)",
        "any(r.overflow for r in self.rules[:1])",
        "bounded",
        "protocols",
    ),
    _mutant(
        "an update without value is no event",
        "system.transition",
        "defined = c.and_(defined, c.implies(guard, after.defined))",
        "pass",
        "explicit",
        "protocols",
    ),
    _mutant(
        "a guard without value is false",
        "system.transition",
        "defined = c.and_(defined, c.implies(holds, part.defined))",
        "holds = c.and_(holds, part.defined)",
        "explicit",
        "protocols",
    ),
    _mutant(
        "a property without value holds",
        "system.transition",
        "holds = self.circuit.and_(body.defined, body.shape)",
        "holds = self.circuit.implies(body.defined, body.shape)",
        "explicit",
        "protocols",
    ),
    _mutant(
        "members are interchangeable when they are not first",
        "system.transition",
        "if number > highest.get(sort, -1) + 1:",
        "if number > highest.get(sort, -1):",
        "k-induction",
        "protocols",
    ),
    _mutant(
        "precedence begins one too late",
        "system.precedence",
        "number > self._named.get(sort, 0) and before",
        "number >= self._named.get(sort, 0) and before",
        "bounded",
        "protocols",
    ),
    # Numbers and clauses.
    _mutant(
        "the order of bits is not kept",
        "solving.sat_solver",
        "            self._solver.add_clause([-above, below])\n",
        "            pass\n",
        "bounded",
        "protocols",
    ),
    _mutant(
        "an integer is read one too small",
        "solving.sat_solver",
        "range(high - low))",
        "range(max(0, high - low - 1)))",
        "bounded",
    ),
    _mutant(
        "equality forgets the last bound",
        "readings.order",
        "a.high, b.high) + 1)\n        return self.conjunction([self.same(",
        "a.high, b.high))\n        return self.conjunction([self.same(",
        "bounded",
        "protocols",
    ),
    _mutant(
        "at most is less than",
        "readings.order",
        "self.disjunction([-a.at_least(v), b.at_least(v)]) for v in bounds",
        "self.disjunction([-a.at_least(v), b.at_least(v + 1)]) for v in bounds",
        "protocols",
    ),
    _mutant(
        "a sum forgets its last way",
        "readings.order",
        "for x in range(a.low, a.high + 1)",
        "for x in range(a.low, a.high)",
        "protocols",
    ),
    _mutant(
        "a difference is a sum",
        "readings.order",
        "        return self._sum(args[0], negated)",
        "        return self._sum(args[0], args[1])",
        "protocols",
    ),
    _mutant(
        "giving up is no answer found, so unsatisfiable",
        "solving.sat_solver",
        "return Answer.UNKNOWN if found is None else Answer.UNSAT",
        "return Answer.UNSAT",
        "giving up",
    ),
    _mutant(
        "a time limit that has passed is unsatisfiable",
        "solving.sat_solver",
        "            return Answer.UNKNOWN\n        if conflicts",
        "            return Answer.UNSAT\n        if conflicts",
        "giving up",
    ),
    _mutant(
        "the judge's solver that gives up has refuted",
        "solving.bitwuzla_solver",
        "return Answer.UNSAT if answer == bitwuzla.Result.UNSAT else Answer.UNKNOWN",
        "return Answer.UNSAT",
        "giving up",
    ),
    # Induction and bounded search.
    _mutant(
        "a lemma is assumed in the state where it is shown",
        "evidence.assumptions",
        "tuple(range(k)), tuple(range(k + 1))",
        "tuple(range(k + 1)), tuple(range(k + 1))",
        "judge",
        "k-induction",
    ),
    _mutant(
        "one state of the row is not looked at",
        "evidence.certify",
        "        for depth in range(k):\n            when",
        "        for depth in range(1):\n            when",
        "judge",
    ),
    _mutant(
        "a candidate that fails is kept",
        "engines.induction",
        "return Round({n: None for n in alive if n not in failing}, failing)",
        "return Round(dict.fromkeys(alive), ())",
        "k-induction",
    ),
    _mutant(
        "lemmas are not asked of the start",
        "engines.lemmas",
        "[c for c in lemmas if c.name not in initially]",
        "lemmas",
        "k-induction",
        "protocols",
    ),
    _mutant(
        "a claim is looked at one depth late",
        "engines.bounded",
        "        depth = self.clean + 1\n        if not depth:",
        "        depth = self.clean + 2\n        if self.clean < 0:",
        "bounded",
    ),
    _mutant(
        "an unknown of the induction follows",
        "engines.goals",
        "    if answer is Answer.UNKNOWN:\n        raise OutOfTime",
        "    if answer is Answer.UNKNOWN:\n        return Answer.UNSAT\n        raise OutOfTime",
        "giving up",
    ),
    _mutant(
        "bounds need no proof",
        "engines.kinduction",
        "if closed and WITHIN_BOUNDS in self.depth_of:",
        "if closed:",
        "k-induction",
        "protocols",
    ),
    # IC3.
    _mutant(
        "a cube with an initial state is blocked",
        "engines.ic3.search",
        "            raise _Reached(obligation)\n",
        "            return\n",
        "IC3",
    ),
    _mutant(
        "a frame is final too soon",
        "engines.ic3.search",
        "            if not self.frames.at(level):\n",
        "            if len(self.frames.at(level)) < 3:\n",
        "IC3",
    ),
    _mutant(
        "a literal is dropped without asking the start",
        "engines.ic3.generalize",
        "        if self._states.is_initial(part):\n"
        "            part |= self._states.apart(whole)\n",
        "",
        "unsampled",
    ),
    _mutant(
        "seeds are not asked of the start",
        "engines.ic3.seeds",
        "if solver.solve(inside) and not solver.solve([state.start, *inside]):",
        "if solver.solve(inside):",
        "seeds",
        "IC3",
    ),
    _mutant(
        "a part of a state leads where all of it led",
        "engines.ic3.queries",
        "wanted = [self._solver.literal(node) for node in (self._after.taken(rule), *nodes)]",
        "wanted = [self._solver.literal(node) for node in (*nodes,)]",
        "IC3",
    ),
    # Explicit exploration.
    _mutant(
        "states of one hash are one",
        "engines.packed.table",
        "            known = self._equal(numbers, rows, candidates)\n            if placed",
        "            known = np.ones(len(candidates), np.bool_)\n            if placed",
        "table",
    ),
    _mutant(
        "a state is told by its first word",
        "engines.packed.table",
        "for word in range(1, self._words):\n            result",
        "for word in range(1, 1):\n            result",
        "table",
    ),
    _mutant(
        "orbits count a state for each renaming",
        "engines.packed.quotient",
        "return self.renamings // fixed",
        "return self.renamings // (fixed * 0 + 1)",
        "symmetry",
    ),
    _mutant(
        "the least image is the last one",
        "engines.packed.quotient",
        "                least[less] = image[less]\n",
        "                least[:] = image\n",
        "symmetry",
    ),
    _mutant(
        "the first initial state is enough",
        "engines.packed.starts",
        "started: Rows = rows[inside]",
        "started: Rows = rows[inside][:1]",
        "explicit",
    ),
    _mutant(
        "successors outside of the constraint are entered",
        "engines.explicit",
        "            steps = steps.where(inside)\n",
        "",
        "explicit",
        "protocols",
    ),
    _mutant(
        "a disjunct's overflow is not looked at",
        "engines.packed.successors",
        "            overflow = len(nodes)\n            nodes.append(rule.overflow)\n",
        "            overflow = None\n",
        "explicit",
        "protocols",
    ),
    _mutant(
        "a row is its own parent",
        "engines.packed.table",
        "numbers if parents is None else parents[new]",
        "numbers",
        "explicit",
    ),
    # Evidence.
    _mutant(
        "a trace may begin anywhere",
        "evidence.replay",
        "if from_initial and not any",
        "if False and not any",
        "traces",
    ),
    _mutant(
        "a trace need not violate",
        "evidence.replay",
        "    if holds_at_end(interpreter, trace, stated):\n",
        "    if False:\n",
        "traces",
    ),
    _mutant(
        "a step that no action takes",
        "evidence.replay",
        "found = next(interpreter.steps_to(before, after), None)",
        "found = next(iter([*interpreter.steps_to(before, after), TraceStep('', {}, after)]))",
        "traces",
    ),
    _mutant(
        "a step invariant is asked of one state",
        "evidence.replay",
        "return _holds(interpreter, stated, trace.steps[-2].state, final)",
        "return _holds(interpreter, stated, final, final)",
        "traces",
    ),
    _mutant(
        "the judge does not ask the start",
        "evidence.certify",
        "        self._check.initiation(inquiry, self._k, chosen)\n",
        "",
        "judge",
    ),
    _mutant(
        "the judge does not ask the steps",
        "evidence.certify",
        "        self._check.consecution(inquiry, self._k, chosen)\n",
        "",
        "judge",
    ),
    _mutant(
        "the judge does not ask the claims",
        "evidence.certify",
        "        self._check.safety(inquiry, self.claims)\n",
        "",
        "judge",
    ),
    _mutant(
        "the judge does not ask for a start",
        "evidence.certify",
        "        inquiry.exists(self._starts(), ",
        "        inquiry.notices(self._starts(), ",
        "judge",
    ),
    _mutant(
        "the judge takes the first rule only",
        "evidence.path",
        "choice = solver.integer(0, max(0, len(rules) - 1))",
        "choice = solver.integer(0, 0)",
        "judge",
    ),
    _mutant(
        "the judge takes every rule but the last",
        "evidence.path",
        "choice = solver.integer(0, max(0, len(rules) - 1))",
        "choice = solver.integer(0, max(0, len(rules) - 2))",
        "judge",
    ),
    _mutant(
        "the judge does not ask for the bounds",
        "evidence.certify",
        "        inquiry.always(path, bounds, ",
        "        (lambda *_: None)(path, bounds, ",
        "judge",
    ),
    _mutant(
        "what the judge cannot refute is proven",
        "evidence.panel",
        "        if answer is Answer.SAT:\n            raise Refuted(complaint)\n",
        "",
        "judge",
    ),
    _mutant(
        "the judge takes a certificate of any model",
        "evidence.statements",
        "if fingerprint(model, parameters) == certificate.fingerprint:",
        "if True:",
        "judge",
    ),
    _mutant(
        "the second judge does not ask the start",
        "evidence.independent.obligations",
        "        for depth in range(self._k):\n            if depth",
        "        for depth in range(0):\n            if depth",
        "second judge",
    ),
    _mutant(
        "the second judge leaves out the last rule",
        "evidence.independent.obligations",
        "        for move, name in _named(moves):\n            yield Obligation(\n"
        '                f"consecution',
        "        for move, name in list(_named(moves))[:-1]:\n            yield Obligation(\n"
        '                f"consecution',
        "second judge",
    ),
    _mutant(
        "the second judge does not ask for the bounds",
        "evidence.independent.obligations",
        "        yield from self._bounds()\n",
        "",
        "second judge",
    ),
    _mutant(
        "the second judge believes a solver that gives up",
        "evidence.independent.judge",
        "        elif found != expected_answer(one):\n",
        '        elif found == "nothing":\n',
        "second judge",
    ),
    _mutant(
        "engines may contradict each other",
        "engines.agreement",
        "            if result.verdict is Verdict.VIOLATED:\n",
        "            if False:\n",
        "agreement",
    ),
    # Fingerprints.
    _mutant(
        "a fingerprint forgets the constraint",
        "lang.fingerprint",
        '    parts += ["constraint", digests.of(model.constraint)]\n',
        "",
        "fingerprints",
    ),
    _mutant(
        "a fingerprint forgets what terms are made of",
        "lang.fingerprint",
        "repr(term.data), *(self.of(a) for a in term.args)]",
        "repr(term.data)]",
        "fingerprints",
    ),
    _mutant(
        "a fingerprint forgets guards",
        "lang.fingerprint",
        '["branch", *(self.of(g) for g in branch.guards)]',
        '["branch"]',
        "fingerprints",
    ),
    _mutant(
        "a fingerprint forgets parameters",
        "lang.fingerprint",
        'parts = [f"{n}={v}" for n, v in sorted(parameters.items())]',
        "parts = []",
        "fingerprints",
    ),
    _mutant(
        "a fingerprint forgets what a choice runs over",
        "lang.fingerprint",
        "parts += [argument.name, self.of(argument.variable), collection]",
        "parts += [argument.name]",
        "fingerprints",
    ),
    _mutant(
        "a digest forgets the kind of a property",
        "lang.fingerprint",
        "_hash([stated.kind.value, *arguments",
        "_hash([*arguments",
        "fingerprints",
    ),
)
