"""What every claim and ranking is held to, whatever it says: its terms mean one thing each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bmc.lang.declared import require_declared_parameters, require_one_definition
from bmc.lang.errors import LanguageError
from bmc.lang.parameters import Parameter
from bmc.lang.protocol import declared_in
from bmc.lang.sorts import Sort
from bmc.lang.terms import Term, subterms


def require_well_stated(
    name: str,
    protocol: object,
    variables: Mapping[str, Sort],
    arguments: tuple[Term, ...],
    terms: Sequence[Term],
) -> None:
    """Refuse terms over a protocol's variables and a claim's arguments that mean nothing by them.

    Raises LanguageError for a bound variable outside its binder and for a parameter that the
    protocol does not declare, DeclaredTwice for two sorts of one name.
    """
    written = list(subterms([*terms, *arguments]))
    if any(term.free - frozenset(arguments) for term in terms):
        raise LanguageError(f"{name} uses a bound variable outside its binder")
    require_one_definition(name, (*variables.values(), *(term.sort for term in written)))
    parameters = declared_in(type(protocol), Parameter).values()
    require_declared_parameters(name, parameters, written)
