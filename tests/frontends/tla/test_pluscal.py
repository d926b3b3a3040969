"""A translation of PlusCal that was edited since it was made is said to be so."""

from pathlib import Path

import pytest

from bmc.cli.app import run
from bmc.frontends.tla.pluscal import edited_translation

TEXT = """---- MODULE Light ----
(* --algorithm Light {
variable lit = FALSE;
{ flip: while (TRUE) { lit := ~lit }; }
} *)
\\* BEGIN TRANSLATION (chksum(pcal) = "1a2b3c" /\\ chksum(tla) = "CHECKSUM")
VARIABLE lit

vars == << lit >>

Init == lit = FALSE
Next == lit' = ~lit
Spec == Init /\\ [][Next]_vars
\\* END TRANSLATION
====
"""
TRANSLATED = TEXT.replace("CHECKSUM", "edea8b8b")
EDITED = TRANSLATED.replace("lit = FALSE\nNext", "lit = TRUE\nNext")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (TRANSLATED, None),
        (EDITED, 6),
        (TRANSLATED.replace("lit = FALSE;", "lit = TRUE;"), None),
        (TRANSLATED.replace("\n", "\r\n"), None),
        (EDITED.replace('chksum(tla) = "edea8b8b"', "chksum(tla) \\in STRING"), None),
        (EDITED.replace("END TRANSLATION", "END"), None),
        ("---- MODULE None ----\n====\n", None),
    ],
)
def test_the_checksum_is_of_the_lines_of_the_translation(text: str, line: int | None) -> None:
    assert edited_translation(text) == line


@pytest.mark.parametrize(("text", "said"), [(TRANSLATED, False), (EDITED, True)])
@pytest.mark.parametrize("command", [["doctor"], ["explore"], ["explore", "--on-text"]])
def test_every_command_says_so(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
    text: str,
    said: bool,
) -> None:
    (tmp_path / "Light.tla").write_text(text)
    (tmp_path / "Light.cfg").write_text("SPECIFICATION Spec\n")
    name, *options = command
    assert run([name, str(tmp_path / "Light.tla"), *options]) == 0
    assert ("Light.tla:6: this translation of PlusCal has" in capsys.readouterr().out) is said


@pytest.mark.parametrize("begins", ["--algorithm", "--fair algorithm"])
def test_an_algorithm_without_a_translation_is_to_be_translated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], begins: str
) -> None:
    algorithm = TEXT.partition("\\* BEGIN")[0].replace("--algorithm", begins)
    (tmp_path / "Light.tla").write_text(f"{algorithm}====\n")
    (tmp_path / "Light.cfg").write_text("SPECIFICATION Spec\n")
    assert run(["explore", str(tmp_path / "Light.tla")]) == 2
    said = capsys.readouterr().err
    assert "Spec is not defined in module Light" in said
    assert "Light.tla has an algorithm in PlusCal: translate it first (pcal Light.tla)" in said
