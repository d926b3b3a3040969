"""What the standard modules hold: built-in operators, and names that have no meaning here.

Modules that are definable in TLA+ (Bags and the community's) are texts in `library/`.
"""

from collections.abc import Mapping

from .operators import Operator as O

# Operators of the language; they need no module.
LANGUAGE: Mapping[str, O] = {
    **{
        operator.value: operator
        for operator in (
            *(O.NOT, O.IMPLIES, O.EQUIVALENT, O.EQUAL, O.NOT_EQUAL, O.BOOLEAN, O.STRING, O.AND),
            *(O.OR, O.IN, O.NOT_IN, O.CUP, O.CAP, O.SET_MINUS, O.SUBSET_EQUAL, O.POWER_SET),
            *(O.UNION, O.DOMAIN),
        )
    }
}

_NATURALS = {
    operator.value: operator
    for operator in (
        *(O.NAT, O.PLUS, O.MINUS, O.TIMES, O.DIVIDE, O.MODULO, O.POWER, O.LESS, O.LESS_EQUAL),
        *(O.GREATER, O.GREATER_EQUAL, O.INTERVAL),
    )
}
_INTEGERS = {**_NATURALS, O.INT.value: O.INT, O.NEGATE.value: O.NEGATE}
_SEQUENCES = (*(O.SEQ, O.LEN, O.CONCATENATE, O.APPEND, O.HEAD, O.TAIL, O.SUB_SEQ, O.SELECT_SEQ),)
_FINITE_SETS = (O.IS_FINITE_SET, O.CARDINALITY)
_TLC = (
    *(O.PRINT, O.PRINT_T, O.ASSERT, O.SINGLETON, O.MERGE, O.PERMUTATIONS, O.SORT_SEQ),
    *(O.TO_STRING, O.TLC_EVAL, O.ANY),
)


def _by_name(operators: tuple[O, ...]) -> Mapping[str, O]:
    return {operator.value: operator for operator in operators}


BUILT_IN: Mapping[str, Mapping[str, O]] = {
    "Naturals": _NATURALS,
    "Integers": _INTEGERS,
    "Reals": {**_INTEGERS, O.REAL.value: O.REAL},
    "Sequences": _by_name(_SEQUENCES),
    "FiniteSets": _by_name(_FINITE_SETS),
    "TLC": _by_name(_TLC),
    # Below: what the texts of `library/` are written with.
    "Folds": _by_name((O.FOLD_SET,)),
    "SequenceFolds": _by_name((O.FOLD_SEQ,)),
}

# What the community's modules extend in their newest version. Ours keep what they are written with
# to themselves, so that a text may define Max beside SequencesExt, as beside older versions; what a
# text uses and nobody defines is looked for in these.
ALSO_EXTENDED: Mapping[str, tuple[str, ...]] = {
    "Relation": ("Naturals", "FiniteSets"),
    "Functions": ("Integers", "Folds"),
    "FiniteSetsExt": ("Integers", "FiniteSets"),
    "SequencesExt": (
        *("Sequences", "Integers", "FiniteSets", "FiniteSetsExt", "Folds", "Functions", "Bags"),
        "TLC",
    ),
    "Graphs": ("Naturals", "Sequences", "FiniteSets", "SequencesExt", "Relation"),
}

_OUTSIDE = "it reads or changes something that is not in the state: leave it out of the model"
_PROOF = "it belongs to proofs: leave it out of what is checked"
_REAL = "only integers are computed with"


def _refused(names: str, hint: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), hint)


# Names of modules that cannot have a meaning here, with what to do.
REFUSED: Mapping[str, Mapping[str, str]] = {
    "Reals": _refused("/ Infinity", _REAL),
    "TLC": _refused("JavaTime TLCGet TLCSet RandomElement", _OUTSIDE),
    "TLCExt": _refused(
        "AssertError AssertEq Trace TLCModelValue TLCCache TLCDefer PickSuccessor CounterExample "
        "ToTrace TLCNoOp TLCEvalDefinition TLCGetAndSet TLCFP ToSet",
        _OUTSIDE,
    ),
    "Randomization": _refused(
        "RandomSubset RandomSetOfSubsets RandomSubsetSet TestRandomSetOfSubsets", _OUTSIDE
    ),
    "Json": _refused(
        "ToJson ToJsonArray ToJsonObject JsonSerialize JsonDeserialize ndJsonSerialize "
        "ndJsonDeserialize",
        _OUTSIDE,
    ),
    "IOUtils": _refused(
        "IOExec IOEnvExec IOExecTemplate IOEnvExecTemplate IOEnv atoi zeroPadN Serialize "
        "Deserialize IOEnvPermit IODeserialize IOSerialize",
        _OUTSIDE,
    ),
    "CSV": _refused("CSVWrite CSVRead CSVRecords CSVWriteRecord", _OUTSIDE),
    "SVG": _refused(
        "Line Circle Rect Image Text Group Svg SVGElem SVGSerialize SVGDoc NodeOfRingNetwork "
        "PointOnLine NodesOfDirectedMultiGraph SVGElemToString SVGToString",
        _OUTSIDE,
    ),
    "ShiViz": _refused("Host Clock", _OUTSIDE),
    "Statistics": _refused("ChiSquare", _OUTSIDE),
    "VectorClocks": _refused("IsCausalOrder CausalOrder", _OUTSIDE),
    "GraphViz": {},
    "HTML": {},
    "TLAPS": _refused(
        "SMT CVC3 Yices veriT Z3 Zenon Isa Auto Force Blast AutoBlast PTL LS4 SlowZenon "
        "SlowerZenon VerySlowZenon SlowestZenon SMTT CVC3T YicesT veriTT Z3T ZenonT IsaT IsaM "
        "IsaMT SimpleArithmetic Cooper AllProvers AllProversT AllSMT AllSMTT AllIsa AllIsaT "
        "SetExtensionality NoSetContainsEverything CVC5 CVC4 ENABLEDaxioms ENABLEDrules "
        "ENABLEDrewrites ExpandENABLED ExpandCdot AutoUSE Lambdify LevelComparison "
        "SimplifyAndSolve Simplification PropositionalTemporalLogic ThreeQuarters",
        _PROOF,
    ),
    "Toolbox": _refused("_TEAssert _TETrace _TEPosition", _OUTSIDE),
    "FiniteSetTheorems": {},
    "NaturalsInduction": {},
    "SequenceTheorems": {},
    "SequencesExtTheorems": {},
    "FunctionTheorems": {},
    "WellFoundedInduction": {},
    "FiniteSetsExtTheorems": {},
    "FoldsTheorems": {},
    "BagsTheorems": {},
    "GraphTheorems": {},
    "QuorumTheorems": {},
}

# How many arguments an operator has.
ARITY: Mapping[O, int] = {
    **dict.fromkeys(O, 2),
    **dict.fromkeys((O.BOOLEAN, O.STRING, O.NAT, O.INT, O.REAL, O.ANY), 0),
    **dict.fromkeys(
        (
            *(O.NOT, O.POWER_SET, O.UNION, O.DOMAIN, O.NEGATE, O.SEQ, O.LEN, O.HEAD, O.TAIL),
            *(O.IS_FINITE_SET, O.CARDINALITY, O.PRINT_T, O.PERMUTATIONS, O.TO_STRING),
            O.TLC_EVAL,
        ),
        1,
    ),
    O.SUB_SEQ: 3,
    O.FOLD_SET: 5,
    O.FOLD_SEQ: 3,
}

# Which arguments are operators themselves, and of how many arguments.
OPERATOR_ARGUMENTS: Mapping[O, Mapping[int, int]] = {
    O.SELECT_SEQ: {1: 1},
    O.SORT_SEQ: {1: 2},
    O.FOLD_SET: {0: 2, 2: 1, 3: 1},
    O.FOLD_SEQ: {0: 2},
}
