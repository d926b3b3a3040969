"""The proofs in DRAT of certificates, by default all of the lock, and what a checker says.

    python benchmarks/drat_proofs.py bmc.lock.d/kafka-async-isr-*.json

The checker is `drat-trim`, where it is installed, or dratify (`pip install dratify`). Prints, for
each certificate, how many questions have a proof, how many steps those take and how many are
accepted; and how many are accepted of proofs of which the last tenth only is left, where that is
not enough by itself. Certificates for all parameters and of explorations have no clauses.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bmc.cli.shared import catalogue
from bmc.cli.shared.certificates import kind_of
from bmc.evidence.certificate import Certificate
from bmc.evidence.independent.export import export

LOCK = Path(__file__).resolve().parents[1] / "bmc.lock.d"
Checker = Callable[[Path, Path], bool]


def main() -> int:
    """Export, have all checked, and print what came of it; 1 if a proof is refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    files = parser.parse_args().files or sorted(LOCK.glob("*.json"))
    accepts, refused = _checker(), 0
    for file in files:
        if kind_of(file) is not Certificate:
            continue
        started = process_time()
        read = Certificate.read(file)
        with TemporaryDirectory() as folder:
            found = export(read, catalogue.find(read.protocol), Path(folder), proofs=True)
            made = process_time() - started
            proofs = [path for path in found if path.suffix == ".drat"]
            steps = sum(path.read_text().count("\n") for path in proofs)
            right = sum(accepts(path.with_suffix(".cnf"), path) for path in proofs)
            for path in proofs:
                lines = path.read_text().splitlines(keepends=True)
                path.write_text("".join(lines[len(lines) * 9 // 10 :]))
            short = sum(accepts(path.with_suffix(".cnf"), path) for path in proofs)
        refused += len(proofs) - right
        told = f"{len(proofs):>4} proofs {steps:>8} steps {right:>4} accepted {short:>4} shortened"
        print(f"{file.stem:48}{told}  made in {made:.1f} s", flush=True)
    return 1 if refused else 0


def _checker() -> Checker:
    if shutil.which("drat-trim"):
        return _drat_trim
    try:
        import dratify
    except ImportError:
        raise SystemExit("no checker: install drat-trim, or `pip install dratify`") from None

    def accepted(clauses: Path, proof: Path) -> bool:
        formula = dratify.parse_dimacs(clauses.read_text())
        return bool(dratify.check_proof(formula, proof.read_text()).ok)

    return accepted


def _drat_trim(clauses: Path, proof: Path) -> bool:
    words = ["drat-trim", str(clauses), str(proof)]
    return "s VERIFIED" in subprocess.run(words, capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    sys.exit(main())
