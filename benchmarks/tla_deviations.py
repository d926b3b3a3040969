"""Catalogued deviations of model checkers: what bmc says of each module.

A catalogue is a folder of `.tla` files or of `.md` files with modules between ```tla and ```, such
as `conformance/` and `findings/` of tlaplus/model-checker-hardening. A module that defines `Init`,
`Next` and `Inv` is explored; what is violated, proved or refused is for the reader to compare with
what the catalogue says is right. Exit code 1 if bmc contradicts itself on one of them.

    python benchmarks/tla_deviations.py --catalogue DIR
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

from bmc.cli.app import run

_BLOCK = re.compile(r"^```tla\n(.*?)^```", re.MULTILINE | re.DOTALL)
_MODULE = re.compile(r"-{4,}\s*MODULE\s+(\w+)\s*-{4,}")
_CONTRADICTION = 4


def modules(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield each module with an Init and a Next: where it stands, its name, its text."""
    for path in sorted([*folder.rglob("*.tla"), *folder.rglob("*.md")]):
        text = path.read_text(encoding="utf-8")
        for block in [text] if path.suffix == ".tla" else _BLOCK.findall(text):
            head = _MODULE.search(block)
            if head is not None and "Init ==" in block and "Next ==" in block:
                yield str(path.relative_to(folder)), head[1], block


def asked(name: str, text: str, folder: Path) -> tuple[int, str]:
    """Return the exit code, and the verdict or the refusal of a module."""
    (folder / f"{name}.tla").write_text(text, encoding="utf-8")
    claim = "INVARIANT Inv\n" if re.search(r"^Inv\s*==", text, re.MULTILINE) else ""
    config = f"INIT Init\nNEXT Next\n{claim}CHECK_DEADLOCK FALSE\n"
    (folder / f"{name}.cfg").write_text(config, encoding="utf-8")
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        code = run(["explore", str(folder / f"{name}.tla"), "--json", "--timeout", "20"])
    document = json.loads(out.getvalue())
    if "error" in document:
        return code, "refused: " + document["error"]["message"].splitlines()[0].rpartition("/")[2]
    verdicts = [one["verdict"] for one in document["results"]]
    return code, verdicts[0] if verdicts else f"{document['distinct_states']} states"


def main() -> int:
    """Print a table of the catalogue."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--catalogue", type=Path, required=True)
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    worst = 0
    print("| module | bmc |\n|---|---|")
    with TemporaryDirectory() as folder:
        for where, name, text in modules(given.catalogue):
            code, said = asked(name, text, Path(folder))
            counts["contradiction" if code == _CONTRADICTION else said.partition(":")[0]] += 1
            worst = max(worst, int(code == _CONTRADICTION))
            print(f"| {where} {name} | {said} |", flush=True)
    print(", ".join(f"{number} {what}" for what, number in sorted(counts.items())))
    return worst


if __name__ == "__main__":
    sys.exit(main())
