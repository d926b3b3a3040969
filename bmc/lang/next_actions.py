"""What a protocol's Next lists: actions of its own and of its bases, and all that it should."""

from __future__ import annotations

from typing import Any

from bmc.lang.errors import DeclaredTwice, LanguageError
from bmc.lang.protocol import ActionDeclaration, Protocol


def require_actions(protocol: type[Protocol]) -> None:
    """Raise LanguageError unless Next is a tuple of actions."""
    chosen: Any = protocol.Next
    if not isinstance(chosen, tuple) or not all(isinstance(a, ActionDeclaration) for a in chosen):
        raise LanguageError(
            f"{protocol.__name__}.Next lists its actions, each decorated with @action(): "
            "Next = one_of(First, Second)"
        )


def require_next(protocol: type[Protocol]) -> None:
    """Raise LanguageError where Next lists what is not the protocol's, or leaves an action out."""
    chosen = protocol.Next
    if not chosen:
        raise LanguageError(f"{protocol.__name__} needs Next = one_of(...), its actions")
    names = [declared.name for declared in chosen]
    owner = _who_wrote_next(protocol)
    for declared in chosen:
        name = declared.name
        if names.count(name) > 1:
            same = all(other is declared for other in chosen if other.name == name)
            raise DeclaredTwice(
                f"{protocol.__name__}.Next lists {name} twice: leave one of them"
                if same
                else f"{protocol.__name__}.Next lists two actions called {name}: an action has the "
                f"name of its function, so rename one of them. A function that makes several gives "
                f'each its name before it is an action: {name}.__name__ = f"{name}{{…}}" and '
                f"return action()({name}), under that name in the class"
            )
        if not isinstance(getattr(protocol, name, None), ActionDeclaration):
            raise LanguageError(
                f"{protocol.__name__}.Next lists {name}, which is no action of it: declare "
                "it under the name its function has"
            )
        # An action that a subclass writes again is listed as its base had it.
        if not any(vars(base).get(name) is declared for base in protocol.__mro__):
            raise LanguageError(
                f"{protocol.__name__}.Next lists a {name} that is neither its own nor of its "
                f"bases, which have another {name}: list that one, or add {name} = ... to the class"
            )
        if getattr(owner, name, declared) is not declared:
            raise LanguageError(
                f"{owner.__name__}.Next lists the {name} of a base, and {owner.__name__} has "
                f"another {name}, which replaces it: list that one"
            )
    if "Init" not in names and protocol.Init.fairness is not None:
        raise LanguageError(
            f"{protocol.__name__}.Init is asked to be {protocol.Init.fairness}ly fair, and Next "
            "does not list it, so no step is one of it: leave fairness out"
        )
    _require_all_listed(protocol, owner, {"Init", *names})


def _who_wrote_next(protocol: type[Protocol]) -> type:
    """Return the class whose body has the Next that a protocol uses."""
    return next(base for base in protocol.__mro__ if "Next" in vars(base))


def _require_all_listed(protocol: type[Protocol], owner: type, known: set[str]) -> None:
    """Refuse an action of a class that whoever wrote Next had not among its bases."""
    for base in protocol.__mro__:
        if base is not owner and base in owner.__mro__:
            continue
        for name, value in vars(base).items():
            if isinstance(value, ActionDeclaration) and name not in known:
                raise LanguageError(
                    f"{base.__name__}.{name} is an action that Next leaves out: add it to Next"
                    f"{'' if base is owner else f' of {protocol.__name__}'}, or drop its decorator"
                )
