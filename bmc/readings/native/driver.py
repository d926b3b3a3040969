"""The vector machine's loop over batches of states and instructions, in LLVM's assembly language.

``run`` takes the address of the fields of :data:`FIELDS`, 64 bits each, and returns the first state
that it has not looked at: the number of states when it is through, fewer when there is no room for
the successors of another batch, and -1 when ``beyond`` holds somewhere.
"""

from __future__ import annotations

from collections.abc import Iterable

from bmc.readings.native.operations import lanewise
from bmc.readings.native.program import LANES

FIELDS = (
    "code",
    "registers",
    "rows",
    "after",
    "states",
    "done",
    "found",
    "lanes",
    "rules",
    "fired",
    "patches",
    "masks",
    "truths",
    "most",
    "count",
    "room",
)
"""``found``, ``lanes`` and ``rules`` take successors, of which there are ``count``, at most
``room``, and ``most`` of one batch. ``fired`` counts them by rule. ``patches`` is that of the
program, and ``truths`` takes the truth of formulas."""

ALWAYS = ("rule", "emit", "beyond", "truth", "end")
"""Operations that every machine has."""

_CHUNKS = LANES // 64
_INLINE = 16
"""Words of a state that are copied one by one."""


def driver(operations: Iterable[str], words: int) -> str:
    """Return the text of a machine with these operations, for states of so many words."""
    functions, cases, targets = [], [], []
    for number, operation in enumerate(operations):
        special = _SPECIAL.get(operation.rstrip("0123456789"))
        if special is not None:
            cases.append(special(number, operation, words))
        else:
            functions.append(_function(number, lanewise(operation)))
            cases.append(
                f"op{number}:\ncall void @op{number}(ptr %dst, ptr %a, ptr %b, ptr %c,"
                " i64 %small, i64 %number)\nbr label %next\n"
            )
        targets.append(f"i32 {number}, label %op{number}")
    fields = "".join(
        f"%{name}_at = getelementptr i64, ptr %context, i64 {place}\n"
        f"%{name} = load i64, ptr %{name}_at\n%{name}_p = inttoptr i64 %{name} to ptr\n"
        for place, name in enumerate(FIELDS)
    )
    operands = "".join(
        f"%{name}_at = getelementptr i32, ptr %instruction, i64 {place}\n"
        f"%{name}_32 = load i32, ptr %{name}_at\n%{name}_o = sext i32 %{name}_32 to i64\n"
        f"%{name} = getelementptr i8, ptr %registers_p, i64 %{name}_o\n"
        for place, name in enumerate(("dst", "a", "b", "c"), 1)
    )
    loop = _LOOP.format(
        fields=fields,
        operands=operands,
        targets=" ".join(targets),
        cases="".join(cases),
        size=8 * words,
        lanes=LANES,
    )
    return "".join([*functions, _emit(words), _MASKS, _UNIT, loop, _DECLARED])


def _function(number: int, body: str) -> str:
    body = body.replace("ENTRY", "entry").replace("LOOP", "loop").replace("NEXT", "end")
    return (
        f"define internal void @op{number}(ptr %dst, ptr %a, ptr %b, ptr %c, i64 %small,"
        f" i64 %number) {{\nentry:{body}end:\nret void\n}}\n"
    )


def _end(number: int, operation: str, words: int) -> str:
    return f"op{number}:\nbr label %batch_end\n"


def _unit(number: int, operation: str, words: int) -> str:
    """Take a part of every row, of the state before or after the step as ``number`` says."""
    size = int(operation.removeprefix("unit")) // 8
    return f"""op{number}:
%is_after = icmp ne i64 %number, 0
%unit_rows{number} = select i1 %is_after, ptr %after_batch, ptr %batch
call void @unit{8 * size}(ptr %dst, ptr %unit_rows{number}, i64 %small, i64 %size, i64 {8 * words})
br label %next
""".replace("%is_after", f"%is_after{number}")


def _beyond(number: int, operation: str, words: int) -> str:
    return f"""op{number}:
%beyond_some = call i64 @masks(ptr %a, ptr %masks_p, i64 %size)
%beyond_none = icmp eq i64 %beyond_some, 0
br i1 %beyond_none, label %next, label %beyond_stop
beyond_stop:
ret i64 -1
"""


def _rule(number: int, operation: str, words: int) -> str:
    return f"""op{number}:
%rule_some = call i64 @masks(ptr %a, ptr %masks_p, i64 %size)
%rule_none = icmp eq i64 %rule_some, 0
br i1 %rule_none, label %jump, label %next
jump:
br label %step
"""


def _emit_case(number: int, operation: str, words: int) -> str:
    return f"""op{number}:
call void @emit(ptr %context, ptr %batch, i64 %start, i64 %small, i64 %number)
br label %next
"""


def _truth(number: int, operation: str, words: int) -> str:
    return f"""op{number}:
%truth_row = mul i64 %small, %states
%truth_place = add i64 %truth_row, %start
%truth_to = getelementptr i8, ptr %truths_p, i64 %truth_place
call void @llvm.memcpy.p0.p0.i64(ptr %truth_to, ptr %a, i64 %size, i1 false)
br label %next
"""


_SPECIAL = {
    "end": _end,
    "unit": _unit,
    "beyond": _beyond,
    "rule": _rule,
    "emit": _emit_case,
    "truth": _truth,
}

_DECLARED = """
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.ctpop.i64(i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""

_LOOP = """
define i64 @run(ptr %context) {{
entry:
{fields}
br label %loop
loop:
%start = phi i64 [%done, %entry], [%start_next, %batch_end]
%counted = load i64, ptr %count_at
%needed = add i64 %counted, %most
%short = icmp ugt i64 %needed, %room
br i1 %short, label %stop, label %go
stop:
ret i64 %start
go:
%left = sub i64 %states, %start
%whole = icmp uge i64 %left, {lanes}
%size = select i1 %whole, i64 {lanes}, i64 %left
%offset = mul i64 %start, {size}
%batch = getelementptr i8, ptr %rows_p, i64 %offset
%after_batch = getelementptr i8, ptr %after_p, i64 %offset
br label %step
step:
%pc = phi i64 [0, %go], [%pc_next, %next], [%number, %jump]
%place = mul i64 %pc, 32
%instruction = getelementptr i8, ptr %code_p, i64 %place
%operation = load i32, ptr %instruction
{operands}
%small_at = getelementptr i32, ptr %instruction, i64 5
%small_32 = load i32, ptr %small_at
%small = sext i32 %small_32 to i64
%number_at = getelementptr i32, ptr %instruction, i64 6
%number = load i64, ptr %number_at, align 4
switch i32 %operation, label %stop [ {targets} ]
{cases}
next:
%pc_next = add i64 %pc, 1
br label %step
batch_end:
%start_next = add i64 %start, %size
%more = icmp ult i64 %start_next, %states
br i1 %more, label %loop, label %through
through:
ret i64 %states
}}
"""

_MASKS = f"""
define internal i64 @masks(ptr %column, ptr %masks, i64 %size) {{
entry:
br label %loop
loop:
%k = phi i64 [0, %entry], [%next, %loop]
%some = phi i64 [0, %entry], [%any, %loop]
%base = mul i64 %k, 64
%at = getelementptr i8, ptr %column, i64 %base
%x = load <64 x i8>, ptr %at, align 64
%t = icmp ne <64 x i8> %x, splat (i8 0)
%all = bitcast <64 x i1> %t to i64
%left = sub i64 %size, %base
%part = icmp slt i64 %left, 64
%none = icmp sle i64 %left, 0
%shift = sub i64 64, %left
%low = and i64 %shift, 63
%valid = lshr i64 -1, %low
%cut = select i1 %part, i64 %valid, i64 -1
%kept = select i1 %none, i64 0, i64 %cut
%mask = and i64 %all, %kept
%to = getelementptr i64, ptr %masks, i64 %k
store i64 %mask, ptr %to
%any = or i64 %some, %mask
%next = add i64 %k, 1
%more = icmp ult i64 %next, {_CHUNKS}
br i1 %more, label %loop, label %end
end:
ret i64 %any
}}
"""


def _one_unit(width: int) -> str:
    return f"""
define internal void @unit{width}(ptr %dst, ptr %rows, i64 %place, i64 %size, i64 %stride) {{
entry:
%first = getelementptr i8, ptr %rows, i64 %place
br label %loop
loop:
%lane = phi i64 [0, %entry], [%next, %loop]
%at = phi ptr [%first, %entry], [%at_next, %loop]
%x = load i{width}, ptr %at, align {width // 8}
%to = getelementptr i{width}, ptr %dst, i64 %lane
store i{width} %x, ptr %to, align {width // 8}
%at_next = getelementptr i8, ptr %at, i64 %stride
%next = add i64 %lane, 1
%more = icmp ult i64 %next, %size
br i1 %more, label %loop, label %end
end:
ret void
}}
"""


_UNIT = "".join(_one_unit(width) for width in (8, 16, 32, 64))


def copying(words: int) -> str:
    """Return how a state is copied from ``%from`` to ``%to``."""
    if words > _INLINE:
        return f"call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 {8 * words}, i1 false)"
    return "\n".join(
        f"%from{word} = getelementptr i64, ptr %from, i64 {word}\n"
        f"%word{word} = load i64, ptr %from{word}, align 8\n"
        f"%to{word} = getelementptr i64, ptr %to, i64 {word}\n"
        f"store i64 %word{word}, ptr %to{word}, align 8"
        for word in range(words)
    )


def _emit(words: int) -> str:
    """Return what writes the successors of a rule in the lanes of the masks: copies of the states
    with the changed bytes put in. ``number`` is the first of those and how many they are."""
    names = ("registers", "found", "lanes", "rules", "fired", "patches", "masks", "count")
    fields = "".join(
        f"%{name}_at = getelementptr i64, ptr %context, i64 {FIELDS.index(name)}\n"
        f"%{name} = load ptr, ptr %{name}_at\n"
        for name in names
    )
    return f"""
define internal void @emit(ptr %context, ptr %batch, i64 %start, i64 %rule, i64 %number) {{
entry:
{fields}
%before = load i64, ptr %count_at
%first = lshr i64 %number, 32
%patched = and i64 %number, 4294967295
%rule_32 = trunc i64 %rule to i32
%changes = icmp ne i64 %patched, 0
%first_patch = mul i64 %first, 12
%patch_first = getelementptr i8, ptr %patches, i64 %first_patch
br label %chunk
chunk:
%k = phi i64 [0, %entry], [%k_next, %chunk_end]
%count_k = phi i64 [%before, %entry], [%count_end, %chunk_end]
%mask_at = getelementptr i64, ptr %masks, i64 %k
%mask = load i64, ptr %mask_at
%base = mul i64 %k, 64
%some = icmp ne i64 %mask, 0
br i1 %some, label %state, label %chunk_end
state:
%left = phi i64 [%mask, %chunk], [%others, %state_end]
%count_s = phi i64 [%count_k, %chunk], [%count_next, %state_end]
%bit = call i64 @llvm.cttz.i64(i64 %left, i1 true)
%lane = add i64 %base, %bit
%source = mul i64 %lane, {8 * words}
%from = getelementptr i8, ptr %batch, i64 %source
%sink = mul i64 %count_s, {8 * words}
%to = getelementptr i8, ptr %found, i64 %sink
{copying(words)}
%lane_to = getelementptr i32, ptr %lanes, i64 %count_s
%of_block = add i64 %start, %lane
%of_block_32 = trunc i64 %of_block to i32
store i32 %of_block_32, ptr %lane_to
%rule_to = getelementptr i32, ptr %rules, i64 %count_s
store i32 %rule_32, ptr %rule_to
br i1 %changes, label %patch, label %state_end
patch:
%j = phi i64 [0, %state], [%j_next, %patch]
%p = phi ptr [%patch_first, %state], [%p_next, %patch]
%offset = load i32, ptr %p
%offset_64 = zext i32 %offset to i64
%register_at = getelementptr i32, ptr %p, i64 1
%register = load i32, ptr %register_at
%register_64 = zext i32 %register to i64
%stride_at = getelementptr i32, ptr %p, i64 2
%stride = load i32, ptr %stride_at
%stride_64 = zext i32 %stride to i64
%distance = mul i64 %lane, %stride_64
%cell = add i64 %register_64, %distance
%byte_at = getelementptr i8, ptr %registers, i64 %cell
%byte = load i8, ptr %byte_at
%byte_to = getelementptr i8, ptr %to, i64 %offset_64
store i8 %byte, ptr %byte_to
%p_next = getelementptr i32, ptr %p, i64 3
%j_next = add i64 %j, 1
%j_more = icmp ult i64 %j_next, %patched
br i1 %j_more, label %patch, label %state_end
state_end:
%count_next = add i64 %count_s, 1
%lower = sub i64 %left, 1
%others = and i64 %left, %lower
%more = icmp ne i64 %others, 0
br i1 %more, label %state, label %chunk_end
chunk_end:
%count_end = phi i64 [%count_k, %chunk], [%count_next, %state_end]
%k_next = add i64 %k, 1
%k_more = icmp ult i64 %k_next, {_CHUNKS}
br i1 %k_more, label %chunk, label %end
end:
store i64 %count_end, ptr %count_at
%found_now = sub i64 %count_end, %before
%times_at = getelementptr i64, ptr %fired, i64 %rule
%times = load i64, ptr %times_at
%times_now = add i64 %times, %found_now
store i64 %times_now, ptr %times_at
ret void
}}
"""
