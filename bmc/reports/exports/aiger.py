"""AIGER 1.9 (Biere, Heljanko and Wieringa, 2011): a sequential circuit for hardware checkers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from bmc.readings.order import TRUE
from bmc.system.latches import Sequential


def write_aiger(circuit: Sequential, about: Sequence[str], *, text: bool = False) -> bytes:
    """The circuit as a file, binary or ``text``, with a symbol for every input, latch and output.

    ``about`` becomes the comment. Properties are ``B`` outputs (true where violated) and what
    holds in every reachable state are ``C`` outputs; what a temporal claim's violation shows again
    and again are the ``J`` and ``F`` sections.
    """
    numbers = {TRUE: -1}
    order = [*(i.literal for i in circuit.inputs), *(latch.literal for latch in circuit.latches)]
    gates = list(circuit.gates.below(circuit.roots()))
    for number, variable in enumerate([*order, *(gate for gate, _, _ in gates)], start=1):
        numbers[variable] = number

    def of(literal: int) -> int:
        number = numbers[abs(literal)]
        if number < 0:
            return int(literal > 0)
        return 2 * number + (literal < 0)

    counts = [
        len(order) + len(gates),
        len(circuit.inputs),
        len(circuit.latches),
        0,
        len(gates),
        len(circuit.bad),
        len(circuit.constraints),
    ]
    if circuit.justice or circuit.fairness:
        counts += [len(circuit.justice), len(circuit.fairness)]
    lines = [f"{'aag' if text else 'aig'} {' '.join(map(str, counts))}"]
    if text:
        lines += [str(of(one.literal)) for one in circuit.inputs]
    for latch in circuit.latches:
        words = [of(latch.literal)] if text else []
        lines.append(" ".join(map(str, [*words, of(latch.following), *[1] * latch.reset])))
    lines += [str(of(one.literal)) for one in (*circuit.bad, *circuit.constraints)]
    lines += [str(len(one)) for one in circuit.justice]
    lines += [str(of(one.literal)) for one in (*chain(*circuit.justice), *circuit.fairness)]
    body = b""
    ands = [(of(gate), *sorted((of(a), of(b)), reverse=True)) for gate, a, b in gates]
    if text:
        lines += [" ".join(map(str, gate)) for gate in ands]
    else:
        body = b"".join(_number(left - a) + _number(a - b) for left, a, b in ands)
    head = "\n".join(lines) + "\n"
    tail = "\n".join([*_symbols(circuit), "c", *about]) + "\n"
    return head.encode() + body + tail.encode()


def _symbols(circuit: Sequential) -> Iterator[str]:
    named = {
        "i": [one.name for one in circuit.inputs],
        "l": [one.name for one in circuit.latches],
        "b": [one.name for one in circuit.bad],
        "c": [one.name for one in circuit.constraints],
        "j": [", ".join(one.name for one in justice) for justice in circuit.justice],
        "f": [one.name for one in circuit.fairness],
    }
    for kind, names in named.items():
        # Some readers end a symbol at its first space.
        yield from (
            f"{kind}{position} {'_'.join(name.split())}" for position, name in enumerate(names)
        )


def _number(value: int) -> bytes:
    """Seven bits a byte, the least first; the top bit says that more follow."""
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
