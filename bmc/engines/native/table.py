"""Entering states into a table's arrays, by machine code.

It is what :class:`bmc.engines.packed.table.StateTable` does with numpy, in the same slots and with
the same hash, row after row: of equal rows the first one is the new state, and new states are
numbered in the order of the rows.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bmc.engines.packed.hashing import FOLD, MIX
from bmc.engines.packed.packing import Rows
from bmc.readings.native.driver import copying
from bmc.readings.native.machine import MachineCode, address

_AHEAD = 32
"""Rows whose slots are asked for before the first of them is looked at."""

_FIELDS = (
    "rows",
    "count",
    "parents",
    "hashes",
    "chosen",
    "placed",
    "latest",
    "slots",
    "shift",
    "states",
    "origins",
    "found",
)


class NativePlacing:
    """Enters rows of so many words. Raises NoMachineCode."""

    def __init__(self, words: int) -> None:
        self._code = MachineCode(_text(words))
        self._place = self._code.function("place", 1)
        self._hash = self._code.function("hash", 3)
        self._fill = self._code.function("fill", 4)

    def hashes_of(self, rows: Rows) -> NDArray[np.uint64]:
        """Return what :func:`bmc.engines.packed.hashing.hashes_of` does."""
        found = np.empty(len(rows), np.uint64)
        self._hash(address(np.ascontiguousarray(rows)), len(rows), address(found))
        return found

    def fill(self, slots: NDArray[np.uint64], states: Rows) -> None:
        """Enter states, all different and numbered from 0, into slots that are free."""
        shift = 65 - len(slots).bit_length()
        self._fill(address(slots), shift, address(states), len(states))

    def place(
        self,
        rows: Rows,
        parents: NDArray[np.uint32] | None,
        placed: NDArray[np.int64] | None,
        hashes: NDArray[np.uint64] | None,
        chosen: NDArray[np.int64] | None,
        slots: NDArray[np.uint64],
        states: Rows,
        origins: NDArray[np.uint32],
        found: int,
    ) -> NDArray[np.int64]:
        """Enter what is new; return which rows that is.

        ``slots``, ``states`` and ``origins`` are the table's, with room for all rows; it has
        ``found`` states. The rest is what the table's own method is given.
        """
        count = len(rows) if chosen is None else len(chosen)
        latest = np.empty(count, np.int64)
        arrays = {
            "rows": np.ascontiguousarray(rows),
            "parents": None if parents is None else np.ascontiguousarray(parents, np.uint32),
            "hashes": None if hashes is None else np.ascontiguousarray(hashes),
            "chosen": None if chosen is None else np.ascontiguousarray(chosen, np.int64),
            "placed": placed,
            "latest": latest,
            "slots": slots,
            "states": states,
            "origins": origins,
        }
        fields = {name: address(array) for name, array in arrays.items()}
        fields |= {"count": count, "shift": 65 - len(slots).bit_length(), "found": found}
        context = np.array([fields[name] for name in _FIELDS], np.int64)
        return latest[: self._place(address(context)) - found]


@lru_cache(maxsize=16)
def placing_for(words: int) -> NativePlacing:
    """Return what enters rows of so many words, made once. Raises NoMachineCode."""
    return NativePlacing(words)


def _hashing(words: int) -> str:
    """Return how ``%hash`` is made of the row at ``%row``."""
    lines = ["%w0 = load i64, ptr %row, align 8", f"%m0 = mul i64 %w0, {_signed(MIX)}"]
    last = "%m0"
    for word in range(1, words):
        lines += [
            f"%h{word} = lshr i64 {last}, 32",
            f"%x{word} = xor i64 {last}, %h{word}",
            f"%p{word} = getelementptr i64, ptr %row, i64 {word}",
            f"%w{word} = load i64, ptr %p{word}, align 8",
            f"%a{word} = add i64 %x{word}, %w{word}",
            f"%m{word} = mul i64 %a{word}, {_signed(MIX)}",
        ]
        last = f"%m{word}"
    lines += [
        f"%e1 = lshr i64 {last}, 32",
        f"%e2 = xor i64 {last}, %e1",
        f"%e3 = mul i64 %e2, {_signed(FOLD)}",
        "%e4 = lshr i64 %e3, 32",
        "%hash = xor i64 %e3, %e4",
    ]
    return "\n".join(lines)


def _signed(number: np.uint64) -> int:
    return int(number.astype(np.int64))


def _same(words: int) -> str:
    """Return how ``%same`` is made: whether the rows at ``%row`` and ``%known`` are equal."""
    lines = ["%d0 = or i64 0, 0"]
    for word in range(words):
        lines += [
            f"%rp{word} = getelementptr i64, ptr %row, i64 {word}",
            f"%rw{word} = load i64, ptr %rp{word}, align 8",
            f"%kp{word} = getelementptr i64, ptr %known, i64 {word}",
            f"%kw{word} = load i64, ptr %kp{word}, align 8",
            f"%x{word} = xor i64 %rw{word}, %kw{word}",
            f"%d{word + 1} = or i64 %d{word}, %x{word}",
        ]
    lines.append(f"%same = icmp eq i64 %d{words}, 0")
    return "\n".join(lines)


def _text(words: int) -> str:
    fields = "".join(
        f"%{name}_at = getelementptr i64, ptr %context, i64 {place}\n"
        f"%{name} = load i64, ptr %{name}_at\n%{name}_p = inttoptr i64 %{name} to ptr\n"
        for place, name in enumerate(_FIELDS)
    )
    given = f"""
define internal i64 @hash_of(ptr %row) {{
{_hashing(words)}
ret i64 %hash
}}
define internal i64 @same(ptr %row, ptr %known) {{
{_same(words)}
%result = zext i1 %same to i64
ret i64 %result
}}
define internal void @copy(ptr %from, ptr %to) {{
{copying(words)}
ret void
}}
"""
    return given + _PLACE.format(fields=fields, size=8 * words, ahead=_AHEAD)


_PLACE = """
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define i64 @hash(ptr %rows, i64 %count, ptr %hashes) {{
entry:
%none = icmp eq i64 %count, 0
br i1 %none, label %end, label %loop
loop:
%i = phi i64 [0, %entry], [%next, %loop]
%offset = mul i64 %i, {size}
%row = getelementptr i8, ptr %rows, i64 %offset
%hash = call i64 @hash_of(ptr %row)
%to = getelementptr i64, ptr %hashes, i64 %i
store i64 %hash, ptr %to
%next = add i64 %i, 1
%more = icmp ult i64 %next, %count
br i1 %more, label %loop, label %end
end:
ret i64 0
}}

define i64 @fill(ptr %slots, i64 %shift, ptr %states, i64 %count) {{
entry:
%ahead = alloca [{ahead} x i64], align 64
%left_bits = sub i64 64, %shift
%size = shl i64 1, %left_bits
%last_slot = sub i64 %size, 1
br label %group
group:
%start = phi i64 [0, %entry], [%start_next, %enter_end]
%left = sub i64 %count, %start
%whole = icmp uge i64 %left, {ahead}
%many = select i1 %whole, i64 {ahead}, i64 %left
%start_next = add i64 %start, %many
%none = icmp eq i64 %many, 0
br i1 %none, label %end, label %first
first:
%i = phi i64 [0, %group], [%i_next, %first]
%nth = add i64 %start, %i
%offset = mul i64 %nth, {size}
%row = getelementptr i8, ptr %states, i64 %offset
%hash = call i64 @hash_of(ptr %row)
%hash_to = getelementptr i64, ptr %ahead, i64 %i
store i64 %hash, ptr %hash_to
%home = lshr i64 %hash, %shift
%slot_1 = getelementptr i64, ptr %slots, i64 %home
call void @llvm.prefetch.p0(ptr %slot_1, i32 1, i32 3, i32 1)
%i_next = add i64 %i, 1
%i_more = icmp ult i64 %i_next, %many
br i1 %i_more, label %first, label %enter
enter:
%j = phi i64 [0, %first], [%j_next, %enter_end]
%hash_at = getelementptr i64, ptr %ahead, i64 %j
%hash_2 = load i64, ptr %hash_at
%home_2 = lshr i64 %hash_2, %shift
%tag = shl i64 %hash_2, 32
br label %probe
probe:
%at = phi i64 [%home_2, %enter], [%at_next, %on]
%slot = getelementptr i64, ptr %slots, i64 %at
%there = load i64, ptr %slot
%free = icmp eq i64 %there, 0
br i1 %free, label %enter_end, label %on
on:
%at_more = add i64 %at, 1
%at_next = and i64 %at_more, %last_slot
br label %probe
enter_end:
%number = add i64 %start, %j
%number_more = add i64 %number, 1
%filled = or i64 %tag, %number_more
store i64 %filled, ptr %slot
%j_next = add i64 %j, 1
%j_more = icmp ult i64 %j_next, %many
br i1 %j_more, label %enter, label %group
end:
ret i64 0
}}

define i64 @place(ptr %context) {{
entry:
%ahead = alloca [{ahead} x i64], align 64
%places = alloca [{ahead} x i64], align 64
{fields}
%left_bits = sub i64 64, %shift
%size = shl i64 1, %left_bits
%last_slot = sub i64 %size, 1
%is_chosen = icmp ne i64 %chosen, 0
%is_hashed = icmp ne i64 %hashes, 0
%is_placed = icmp ne i64 %placed, 0
%is_reached = icmp ne i64 %parents, 0
br label %group
group:
%start = phi i64 [0, %entry], [%start_next, %group_end]
%known_states = phi i64 [%found, %entry], [%known_end, %group_end]
%left = sub i64 %count, %start
%whole = icmp uge i64 %left, {ahead}
%many = select i1 %whole, i64 {ahead}, i64 %left
%none = icmp eq i64 %many, 0
br i1 %none, label %end, label %first
first:
%i = phi i64 [0, %group], [%i_next, %first_end]
%nth = add i64 %start, %i
br i1 %is_chosen, label %choose, label %chosen_now
choose:
%choice_at = getelementptr i64, ptr %chosen_p, i64 %nth
%choice = load i64, ptr %choice_at
br label %chosen_now
chosen_now:
%index = phi i64 [%nth, %first], [%choice, %choose]
br i1 %is_hashed, label %given, label %make
given:
%given_at = getelementptr i64, ptr %hashes_p, i64 %index
%given_hash = load i64, ptr %given_at
br label %first_end
make:
%offset_1 = mul i64 %index, {size}
%row_1 = getelementptr i8, ptr %rows_p, i64 %offset_1
%made_hash = call i64 @hash_of(ptr %row_1)
br label %first_end
first_end:
%hash = phi i64 [%given_hash, %given], [%made_hash, %make]
%hash_to = getelementptr i64, ptr %ahead, i64 %i
store i64 %hash, ptr %hash_to
%index_to = getelementptr i64, ptr %places, i64 %i
store i64 %index, ptr %index_to
%home_1 = lshr i64 %hash, %shift
%slot_1 = getelementptr i64, ptr %slots_p, i64 %home_1
call void @llvm.prefetch.p0(ptr %slot_1, i32 1, i32 3, i32 1)
%i_next = add i64 %i, 1
%i_more = icmp ult i64 %i_next, %many
br i1 %i_more, label %first, label %second
second:
%j = phi i64 [0, %first_end], [%j_next, %second_end]
%hash_2_at = getelementptr i64, ptr %ahead, i64 %j
%hash_2 = load i64, ptr %hash_2_at
%home_2 = lshr i64 %hash_2, %shift
%slot_2 = getelementptr i64, ptr %slots_p, i64 %home_2
%entry_2 = load i64, ptr %slot_2
%number_2 = and i64 %entry_2, 4294967295
%free_2 = icmp eq i64 %number_2, 0
br i1 %free_2, label %second_end, label %ask
ask:
%state_2 = sub i64 %number_2, 1
%offset_2 = mul i64 %state_2, {size}
%known_2 = getelementptr i8, ptr %states_p, i64 %offset_2
call void @llvm.prefetch.p0(ptr %known_2, i32 0, i32 3, i32 1)
br label %second_end
second_end:
%j_next = add i64 %j, 1
%j_more = icmp ult i64 %j_next, %many
br i1 %j_more, label %second, label %third
third:
%k = phi i64 [0, %second_end], [%k_next, %third_end]
%number = phi i64 [%known_states, %second_end], [%number_next, %third_end]
%hash_3_at = getelementptr i64, ptr %ahead, i64 %k
%hash_3 = load i64, ptr %hash_3_at
%index_3_at = getelementptr i64, ptr %places, i64 %k
%index_3 = load i64, ptr %index_3_at
%offset_3 = mul i64 %index_3, {size}
%row_3 = getelementptr i8, ptr %rows_p, i64 %offset_3
%tag = shl i64 %hash_3, 32
%home_3 = lshr i64 %hash_3, %shift
br label %probe
probe:
%at = phi i64 [%home_3, %third], [%at_next, %on]
%slot = getelementptr i64, ptr %slots_p, i64 %at
%there = load i64, ptr %slot
%free = icmp eq i64 %there, 0
br i1 %free, label %new, label %met
met:
%differ = xor i64 %there, %tag
%alike = icmp ule i64 %differ, 4294967295
br i1 %alike, label %compare, label %on
compare:
%there_low = and i64 %there, 4294967295
%there_number = sub i64 %there_low, 1
%offset_4 = mul i64 %there_number, {size}
%known = getelementptr i8, ptr %states_p, i64 %offset_4
%same = call i64 @same(ptr %row_3, ptr %known)
%is_same = icmp ne i64 %same, 0
br i1 %is_same, label %settled, label %on
on:
%at_more = add i64 %at, 1
%at_next = and i64 %at_more, %last_slot
br label %probe
new:
%number_more = add i64 %number, 1
%filled = or i64 %tag, %number_more
store i64 %filled, ptr %slot
%offset_5 = mul i64 %number, {size}
%to = getelementptr i8, ptr %states_p, i64 %offset_5
call void @copy(ptr %row_3, ptr %to)
%number_32 = trunc i64 %number to i32
br i1 %is_reached, label %reached, label %origin
reached:
%parent_at = getelementptr i32, ptr %parents_p, i64 %index_3
%parent = load i32, ptr %parent_at
br label %origin
origin:
%from = phi i32 [%number_32, %new], [%parent, %reached]
%origin_to = getelementptr i32, ptr %origins_p, i64 %number
store i32 %from, ptr %origin_to
%latest_place = sub i64 %number, %found
%latest_to = getelementptr i64, ptr %latest_p, i64 %latest_place
store i64 %index_3, ptr %latest_to
br label %settled
settled:
%number_next = phi i64 [%number, %compare], [%number_more, %origin]
%own = phi i64 [%there_number, %compare], [%number, %origin]
br i1 %is_placed, label %note, label %third_end
note:
%placed_to = getelementptr i64, ptr %placed_p, i64 %index_3
store i64 %own, ptr %placed_to
br label %third_end
third_end:
%k_next = add i64 %k, 1
%k_more = icmp ult i64 %k_next, %many
br i1 %k_more, label %third, label %group_end
group_end:
%known_end = phi i64 [%number_next, %third_end]
%start_next = add i64 %start, %many
br label %group
end:
ret i64 %known_states
}}
"""
