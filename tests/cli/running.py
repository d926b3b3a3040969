"""Running the command line inside a test, and judging its documents by the schema."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest

from bmc.cli.main import main

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Answered:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout, which must satisfy the schema."""
        found = json.loads(self.out)
        schema_validator().validate(found)
        return found


@cache
def schema_validator() -> jsonschema.Draft202012Validator:
    text = (ROOT / "docs" / "result.schema.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def validate_as(kind: str, document: object) -> None:
    """Raise unless a file's content is to a definition of the schema, such as single_trace."""
    parts: Any = schema_validator().schema
    one = {"$ref": f"#/$defs/{kind}", "$defs": parts["$defs"]}
    jsonschema.Draft202012Validator(one).validate(document)


def bmc(*arguments: str, encoding: str = "utf-8") -> Answered:
    """Run one command line; stdout has the given encoding and is no terminal."""
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    err = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as left:
        main(arguments)
    assert isinstance(left.value.code, int)
    return Answered(left.value.code, _text(out), _text(err))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    raw = stream.buffer
    assert isinstance(raw, io.BytesIO)
    return raw.getvalue().decode(stream.encoding)


def install(monkeypatch: pytest.MonkeyPatch, module: str, **contents: object) -> None:
    """Put functions in the place of an engine's."""
    fake = ModuleType(module)
    vars(fake).update(contents)
    monkeypatch.setitem(sys.modules, module, fake)
