"""The state of an installation, on a page and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bmc.reports.page import Page


@dataclass(frozen=True)
class Component:
    """Something bmc uses: its version, what it is for, and what is wrong with it.

    ``needed`` says whether proofs need it; ``problem`` is None when it works, ``remedy`` how to
    get it.
    """

    name: str
    purpose: str
    version: str | None
    needed: bool
    problem: str | None
    remedy: str

    @property
    def usable(self) -> bool:
        """Whether it is there and works."""
        return self.problem is None


def component_json(component: Component) -> dict[str, Any]:
    """A component as JSON data."""
    return {**asdict(component), "usable": component.usable}


def write_components(page: Page, components: Sequence[Component]) -> None:
    """A line a component; below those that do not work, how to get them."""
    name_width = max(len(c.name) for c in components)
    version_width = max(len(c.version or "missing") for c in components)
    for c in components:
        style = "green" if c.usable else "bold red" if c.needed else "yellow"
        page.line(
            f"  {c.name.ljust(name_width)}  ",
            ((c.version or "missing").ljust(version_width), style),
            f"  {c.purpose}",
        )
        if c.problem is not None:
            optional = "" if c.needed else " (proofs do not need it)"
            page.line(f"  {' ' * name_width}  {c.problem}{optional}: {c.remedy}")
    broken = [c.name for c in components if c.needed and not c.usable]
    page.blank()
    if broken:
        page.line(("Not ready", "bold red"), f": {', '.join(broken)}")
    else:
        page.line(("Ready", "bold green"), ": everything that proofs need is there")
