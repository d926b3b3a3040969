"""bmc as a zip that Spark sends to executors on which it is not installed."""

from __future__ import annotations

import zipfile
from importlib.util import find_spec
from pathlib import Path

_SUFFIXES = {".py", ".typed", ".j2", ".css", ".js"}


def write_zip(path: Path) -> Path:
    """Write bmc with its protocols, as an installation has them, into the archive ``path``.

    A wheel would not do: Spark puts on the executors' path what ends in .zip, .egg or .jar only.
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for package in ("bmc", "bmc.encodings", "bmc.properties"):
            for folder in _folders(package):
                for file in sorted(folder.rglob("*")):
                    if file.suffix in _SUFFIXES and file.is_file():
                        name = Path(*package.split("."), file.relative_to(folder)).as_posix()
                        if name not in archive.NameToInfo:
                            archive.write(file, name)
    return path


def _folders(package: str) -> list[Path]:
    spec = find_spec(package)
    return [Path(f) for f in (spec.submodule_search_locations or ())] if spec else []
