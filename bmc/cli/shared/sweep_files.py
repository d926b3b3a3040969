"""What a sweep writes into its directory under names of its own, and would write over."""

from __future__ import annotations

from bmc.running.files import UnwritableFile, require_ours
from bmc.sweep.places import Storage
from bmc.sweep.store import is_empty

_BEGIN = {
    "report.md": ("# Sweep: ",),
    "report.html": ("<title>bmc sweep: ",),
    "campaign.md": ("# Campaign", "# Random walks"),
}
_TABLE = "results.parquet"


def require_own_files(there: Storage) -> None:
    """Raise UnwritableFile where a report or a table is there that is no sweep's."""
    for name, marks in _BEGIN.items():
        if there.about(name) is not None:
            require_ours(there.shown(name), there.read(name), *marks)
    if is_empty(there) and there.about(_TABLE) is not None:
        raise UnwritableFile(
            f"cannot write {there.shown(_TABLE)}: it is there and is no sweep's, and would be "
            "lost: name another folder"
        )
