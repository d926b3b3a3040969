"""bmc: a symbolic model checker for replication protocols.

A protocol is written once, in the small typed language of `bmc.lang`, and its terms are read
as values (replay), as circuits (bounded model checking, induction, IC3, exploration) and as
first-order formulas (proofs for all parameters). An answer comes with evidence that somebody else
can check: a trace that is replayed, or a certificate that another solver confirms.

The rooms of this package stand on floors, low to high, and import only downwards:
`lang`, `layout`, `readings`, `solving`, `system`, `running`, `evidence`, `engines`, `analysis`,
then `sweep`, `regress` and `reports`, and on top `cli`. None of them knows a protocol. The
protocols are in `bmc.encodings`, what is claimed of them in `bmc.properties`; both know `bmc.lang`
and nothing else of `bmc`.

Nothing belongs in this file but the version and the ways to those two packages and to `bmc.api`
(`from bmc import prove`): whoever imports `bmc` must not wait for a solver to load.
"""

import sys
from importlib.machinery import ModuleSpec, PathFinder
from os.path import dirname, join

# As type checkers know it; to import it from `typing` would load that.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from bmc.api import (
        Answered,
        BmcError,
        Result,
        Suite,
        Task,
        TemporalResult,
        Trace,
        Verdict,
        check,
        explore,
        find,
        prove,
    )

__all__ = [
    "Answered",
    "BmcError",
    "Result",
    "Suite",
    "Task",
    "TemporalResult",
    "Trace",
    "Verdict",
    "check",
    "explore",
    "find",
    "prove",
]

__version__ = "0.2.0"


class _BesideTheChecker:
    """Finds `bmc.encodings` and `bmc.properties` in a checkout, where they lie beside `bmc`.

    A wheel holds them inside the package, where the ordinary search finds them before this one
    is asked. In a checkout they are folders at the root, and `encodings/` must stay without an
    `__init__.py`: with one, and with the root on PYTHONPATH, it would take the place of Python's
    own `encodings`, and no interpreter could start.
    """

    root = dirname(dirname(__file__))
    names = frozenset({f"{__name__}.encodings", f"{__name__}.properties"})

    @classmethod
    def find_spec(cls, fullname: str, path: object, target: object = None, /) -> ModuleSpec | None:
        if fullname not in cls.names:
            return None
        if beside := PathFinder.find_spec(fullname, [cls.root]):
            return beside
        # Still zipped, as a Spark executor may import it: before Python 3.13 the ordinary search
        # does not see a folder in an archive unless it has an `__init__.py`.
        inside = ModuleSpec(fullname, None, is_package=True)
        inside.submodule_search_locations = [join(dirname(__file__), fullname.rpartition(".")[2])]
        return inside


sys.meta_path.append(_BesideTheChecker)


def __getattr__(name: str) -> object:
    if name in __all__:
        from bmc import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
