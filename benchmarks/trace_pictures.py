"""Draws the pictures of docs/traces.md again: every trace by its command, its page in chromium.

python benchmarks/trace_pictures.py [NAME ...]
"""

from __future__ import annotations

import base64
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "traces"

sys.path.insert(0, str(ROOT))

TWO_NODES = (
    "explore verified-log -p log_nodes=2 -p atomic_broadcast=1 -p drops=1 "
    "-p old_producer_timeouts=1 -p coordinator_timeouts=1 --raw"
)
PICTURES: dict[str, str] = {
    "kafka-truncate-to-hw": "check kafka-truncate-to-hw -p replicas=2 --depth 8 -P WeakIsr",
    "kafka-kip101": "check kafka-kip101 -p replicas=2 --depth 12 -P WeakIsr",
    "kafka-kip279": "check kafka-kip279 --depth 12 -P WeakIsr",
    "kafka-kip320-first-try": "check kafka-kip320-first-try --depth 12 -P WeakIsr",
    "kafka-async-isr": "check kafka-async-isr --depth 0 -P TypeOk",
    "kafka-transactions": (
        "explore kafka-transactions -p transaction_ids=3 -p clients=4 "
        "-p max_coordinator_changes=0 --max-depth 8 -P ProducerIdUnique"
    ),
    "replicated-log-retention": "check replicated-log-retention -p replicas=2 -p log_size=3",
    "verified-log": (
        "check verified-log -p drops=1 -p old_producer_timeouts=1 --depth 17 "
        "-P ConsumerSeesCommitted"
    ),
    "verified-log-truncated": f"{TWO_NODES} -P CommittedNotTruncated",
    "verified-log-replicas": f"{TWO_NODES} -P ClosedReplicasAgree",
    "elasticsearch-primary": f"trace export {FOLDER / 'elasticsearch-primary.itf.json'}",
    "elasticsearch": f"trace export {FOLDER / 'elasticsearch.itf.json'}",
    "narrow": f"trace export {FOLDER / 'elasticsearch.itf.json'}",
}
"""By the picture's name, the command; the last one is for a telephone, in the dark."""


def picture(browser: Any, page: Path, name: str) -> bytes:
    """The whole page as it is shown first, without the bar that stays in the window."""
    from tests.browsers import WIDTHS, look

    narrow = name == "narrow"
    width = WIDTHS["narrow" if narrow else "wide"]
    look(browser, page.as_uri(), width, "dark" if narrow else "light")
    high = browser.execute_script("return document.documentElement.scrollHeight")
    size = {"width": width, "height": high, "deviceScaleFactor": 1, "mobile": narrow}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    return base64.b64decode(shot["data"])


def main(names: list[str]) -> None:
    """Draw the pictures of these names, or all."""
    from tests.browsers import chromium

    with tempfile.TemporaryDirectory() as folder, chromium(Path(folder) / "profile") as browser:
        for name in names or PICTURES:
            page = Path(folder) / f"{name}.html"
            command = PICTURES[name].split()
            place = "--to" if command[:2] == ["trace", "export"] else "--trace"
            run = [sys.executable, "-m", "bmc", *command, place, str(page)]
            subprocess.run(run, check=False, stdout=subprocess.DEVNULL, cwd=ROOT)
            (FOLDER / f"{name}.png").write_bytes(picture(browser, page, name))


if __name__ == "__main__":
    main(sys.argv[1:])
