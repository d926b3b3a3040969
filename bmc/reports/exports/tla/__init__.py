"""A protocol as a TLA+ module and its TLC configuration.

- `names`: what is called how, so that nothing is declared twice;
- `sorts`: a sort as the set of its values, a value as an expression;
- `terms`: terms as expressions; `helpers`: operators that these lean on;
- `valued`: terms that have no value where the protocol has none; `known`: what is known there;
- `module`: the module, and the one that extends it with the history;
- `config`: the configuration.
"""

from bmc.reports.exports.tla.errors import NoTla
from bmc.reports.exports.tla.module import Exported, written
from bmc.reports.exports.tla.stated import Stated

__all__ = ["Exported", "NoTla", "Stated", "written"]
