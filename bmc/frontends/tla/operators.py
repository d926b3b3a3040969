"""The operators whose meaning is built in: TLA+'s own and those of the standard modules."""

from enum import Enum


class Operator(Enum):
    """A built-in operator; the value is its name in TLA+, the comment its arguments."""

    # Logic. AND and OR take any number of arguments, in order: junction lists are one node.
    NOT = "~"
    AND = "/\\"
    OR = "\\/"
    IMPLIES = "=>"
    EQUIVALENT = "<=>"
    EQUAL = "="
    NOT_EQUAL = "#"
    BOOLEAN = "BOOLEAN"  # no argument
    STRING = "STRING"  # no argument

    # Sets and functions.
    IN = "\\in"
    NOT_IN = "\\notin"
    CUP = "\\cup"
    CAP = "\\cap"
    SET_MINUS = "\\"
    SUBSET_EQUAL = "\\subseteq"
    POWER_SET = "SUBSET"
    UNION = "UNION"
    DOMAIN = "DOMAIN"

    # Naturals, Integers, Reals.
    NAT = "Nat"  # no argument
    INT = "Int"  # no argument
    REAL = "Real"  # no argument; good for membership only
    PLUS = "+"
    MINUS = "-"
    NEGATE = "-."
    TIMES = "*"
    DIVIDE = "\\div"  # rounds towards minus infinity
    MODULO = "%"  # a % b lies in 0..b-1
    POWER = "^"
    LESS = "<"
    LESS_EQUAL = "\\leq"
    GREATER = ">"
    GREATER_EQUAL = "\\geq"
    INTERVAL = ".."

    # Sequences.
    SEQ = "Seq"
    LEN = "Len"
    CONCATENATE = "\\o"
    APPEND = "Append"
    HEAD = "Head"
    TAIL = "Tail"
    SUB_SEQ = "SubSeq"  # s, first, last
    SELECT_SEQ = "SelectSeq"  # s, operator of one argument

    # FiniteSets.
    IS_FINITE_SET = "IsFiniteSet"
    CARDINALITY = "Cardinality"

    # TLC.
    PRINT = "Print"  # out, value: is the value
    PRINT_T = "PrintT"  # out: is TRUE
    ASSERT = "Assert"  # condition, message
    SINGLETON = ":>"  # key, value: the function with that one key
    MERGE = "@@"  # f, g: f's values where both have one
    PERMUTATIONS = "Permutations"
    SORT_SEQ = "SortSeq"  # s, operator of two arguments
    TO_STRING = "ToString"
    TLC_EVAL = "TLCEval"
    ANY = "Any"  # no argument; good for membership only

    # What the shipped modules (Bags, Folds, SequencesExt, …) are written with.
    FOLD_SET = "MapThenFoldSet"  # op(_,_), base, f(_), choose(_), set: op(f(x), fold of the rest)
    FOLD_SEQ = "FoldLeft"  # op(_,_), base, sequence: op(op(base, s[1]), s[2]) …
