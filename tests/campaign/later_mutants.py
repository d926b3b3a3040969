"""Faults in searches on disk and by processes, rankings, monitors, and what is remembered."""

from __future__ import annotations

from tests.campaign.mutant import planted as _mutant

LATER = (
    # The search by several processes.
    _mutant(
        "what waits for room is lost",
        "engines.parted.part",
        "            self._waiting[part] = rows[later], parents[later]\n",
        "            pass\n",
        "processes",
    ),
    _mutant(
        "a process forgets the constraint",
        "engines.parted.part",
        "            steps = steps.where(inside)\n",
        "",
        "processes",
    ),
    _mutant(
        "a state that is sent alone is not received",
        "engines.parted.part",
        "                if count:\n",
        "                if count > 1:\n",
        "processes",
    ),
    # The search on disk.
    _mutant(
        "of the runs only the first is merged",
        "engines.spill.candidates",
        "        for run in self._runs:\n            start, stop",
        "        for run in self._runs[:1]:\n            start, stop",
        "disk",
    ),
    _mutant(
        "only the last level is known",
        "engines.spill.candidates",
        "for level in known if len(keys) else ():",
        "for level in known[-1:]:",
        "disk",
    ),
    _mutant(
        "what a level has is new",
        "engines.spill.candidates",
        "            fresh[low + asked] = False\n",
        "",
        "disk",
    ),
    _mutant(
        "a part leaves out its last states",
        "engines.spill.candidates",
        "            inside = _begins(hashes, part, bits)\n",
        "            inside = _begins(hashes, part, bits)\n            inside[-1:] = False\n",
        "disk",
    ),
    # Rankings.
    _mutant(
        "a rank may rise",
        "system.ranked",
        "conj(*steps, rises)",
        "FALSE",
        "rankings",
    ),
    _mutant(
        "nobody need be helpful",
        "system.ranked",
        "conj(where.now, negation(anybody))",
        "FALSE",
        "rankings",
    ),
    _mutant(
        "what is helpful may be another one",
        "system.ranked",
        "            kept += [equal(term, move.later(term)) for term in chosen.values()]\n",
        "",
        "rankings",
    ),
    _mutant(
        "the helpful action need not help",
        "system.ranked",
        "conj(here, where.later, same, taken, negation(falls))",
        "FALSE",
        "rankings",
    ),
    _mutant(
        "the helpful action need not be possible",
        "system.ranked",
        'yield f"{called} cannot be taken", conj(here, negation(can))',
        'yield f"{called} cannot be taken", FALSE',
        "rankings",
    ),
    _mutant(
        "waiting asks for nothing",
        "system.ranked",
        'yield f"while {called} waits, {text}", wrong',
        'yield f"while {called} waits, {text}", FALSE',
        "rankings",
    ),
    # Monitors of temporal claims, and those that protocols declare.
    _mutant(
        "the automaton's demands are not met",
        "system.follower",
        "            yield implies(self._at(number), conj(*demanded))\n",
        "",
        "time",
    ),
    _mutant(
        "a round is over before all is seen",
        "system.watched",
        "        return conj(*seen, *self._visited)\n",
        "        return conj(*seen)\n",
        "time",
    ),
    _mutant(
        "a fair action counts as taken",
        "system.watched",
        "now = disj(condition.taken(action, branch), now)",
        "now = TRUE",
        "time",
    ),
    _mutant(
        "an action's guards may read a monitor",
        "lang.describe",
        "        yield from branch.guards\n        yield from (value for n",
        "        yield from (value for n",
        "monitors",
    ),
    _mutant(
        "an action's choice may read a monitor",
        "lang.describe",
        "    yield from (a.collection for a in one.arguments if a.collection is not None)\n",
        "",
        "monitors",
    ),
    # What the translator of TLA+ remembers.
    _mutant(
        "a translation is remembered for both ends of a step",
        "frontends.tla.translate.memory",
        "            place.primed,\n",
        "",
        "memory",
    ),
    _mutant(
        "a translation is remembered for other arguments",
        "frontends.tla.translate.memory",
        "            tuple(numbers),\n            after,\n",
        "            after,\n",
        "memory",
    ),
    _mutant(
        "a translation is remembered for other next values",
        "frontends.tla.translate.memory",
        "            tuple(numbers),\n            after,\n",
        "            tuple(numbers),\n",
        "memory",
    ),
)
