"""Every fault of a lock gets one clear message and exit code 2, and loses nothing."""

import json
import os
import shutil
from errno import ENOSPC
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bmc.regress.errors import LockError
from bmc.regress.notation import lock_of, text_of
from bmc.running import files
from tests.cli.running import bmc
from tests.regress.project import Project


def complaint(project: Project, *options: str) -> str:
    """The message for a lock that cannot be used, by a check and by an update."""
    before = project.snapshot()
    for asked in (("--json",), ("--json", "--update")):
        answered = project.regress(*asked, *options)
        assert answered.code == 2, answered.out
        assert "Traceback" not in answered.err
        assert project.snapshot() == before
    return str(answered.document["error"]["message"])


def edit(project: Project, old: str, new: str) -> None:
    text = project.lock.read_text()
    assert old in text
    project.lock.write_text(text.replace(old, new, 1))


def test_no_lock(tmp_path: Path) -> None:
    answered = Project(tmp_path).regress("--json")
    assert answered.code == 2
    assert "--update makes one" in answered.document["error"]["message"]


@pytest.mark.parametrize("share", [0.0, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999])
def test_a_truncated_lock(project: Project, share: float) -> None:
    text = project.lock.read_text()
    project.lock.write_text(text[: int(len(text) * share)])
    said = complaint(project)
    assert "restore it from version control" in said


def test_a_lock_cut_between_two_entries(project: Project) -> None:
    text = project.lock.read_text()
    project.lock.write_text(text[: text.rindex("[end]")])
    assert "its last line is missing" in complaint(project)


def test_a_byte_order_mark_says_nothing(project: Project) -> None:
    text = project.lock.read_text(encoding="utf-8")
    assert lock_of("\ufeff" + text, "bmc.lock") == lock_of(text, "bmc.lock")


def test_conflict_markers(project: Project) -> None:
    edit(
        project, 'name = "Safe"\n', '<<<<<<< ours\nname = "Safe"\n=======\nname = "S"\n>>>>>>> b\n'
    )
    said = complaint(project)
    assert "conflict markers" in said
    assert "git checkout --ours" in said
    line = project.lock.read_text().splitlines().index("<<<<<<< ours") + 1
    assert f"line {line}:" in said


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('expected = "violated"', 'expected = "proved"'),
        ("trace_length = 5", "trace_length = 6"),
        ("top = 3", "top = 2"),
        ('protocol = "lift.py:Lift"', 'protocol = "id-sequence"'),
        ('name = "Safe"', 'name = "Inside"'),
        ('name = "Safe"', 'name = "Sound"'),
        ("\nk = 1", "\nk = 1.5"),
        ("\nk = 1", "\nk = true"),
        ('evidence = "', 'evidence = "../'),
        ('engine = "', 'motor = "'),
        ('follows = "named"', 'follows = "me"'),
        ('sha256 = "', 'sha256 = "0'),
    ],
)
def test_a_lock_edited_by_hand(project: Project, old: str, new: str) -> None:
    edit(project, old, new)
    said = complaint(project)
    assert "bmc.lock" in said
    assert "restore it from version control" in said


def test_a_newer_lock(project: Project) -> None:
    edit(project, "format = 2", "format = 4")
    assert "has format 4, and this bmc knows formats up to 3" in complaint(project)


def test_a_bounded_proof_is_not_taken_for_one_at_all_parameters(project: Project) -> None:
    edit(project, "parameters = { top = 3 }", 'parameters = "all"')
    assert "it has a field 'k' that bmc does not write" in complaint(project)


def test_an_older_lock_is_read_and_renewed(project: Project) -> None:
    edit(project, "format = 2", "format = 1")
    assert project.regress().code == 0
    project.write(HARMLESS)
    assert project.regress("--update").code == 0
    assert "format = 2" in project.lock.read_text()


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"{}", b"[[model]]", b"format = 'x'"])
def test_something_else_under_its_name(project: Project, content: bytes) -> None:
    project.lock.write_bytes(content)
    answered = project.regress("--json")
    assert answered.code == 2
    assert "bmc.lock" in answered.document["error"]["message"]


def test_line_ends_of_another_system_are_no_change(project: Project) -> None:
    for file in (project.lock, *project.evidence.iterdir()):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert project.regress().code == 0


def unusable(project: Project, name: str) -> str:
    """Why a property cannot be judged, while the others are; an update decides it again."""
    code, found, _ = project.judged()
    assert code == 2
    assert found[name]["standing"] == "unusable"
    assert {p["standing"] for n, p in found.items() if p["reason"] is None} == {"kept"}
    assert project.judged("--update")[0] == 0
    assert project.judged()[0] == 0
    return str(found[name]["reason"])


@pytest.mark.parametrize("name", ["Safe", "Low", "OpenUpstairs"])
def test_missing_evidence(project: Project, name: str) -> None:
    project.file_of(name).unlink()
    said = unusable(project, name)
    assert "is missing" in said
    assert "--update decides" in said


@pytest.mark.parametrize("name", ["Safe", "Low"])
def test_damaged_evidence(project: Project, name: str) -> None:
    file = project.file_of(name)
    file.write_text(file.read_text().replace("1", "2", 1))
    assert "not the file that the lock means" in unusable(project, name)


def reseal(project: Project, name: str, alter: object) -> None:
    """Alter evidence and make the lock mean the altered file, as a careful forger would."""
    import dataclasses

    from bmc.regress.folder import evidence_file

    assert callable(alter)
    file = project.file_of(name)
    document = json.loads(file.read_text())
    alter(document)
    text = json.dumps(document)
    forged = evidence_file("forged", text)
    (project.evidence / forged.name).write_text(text)
    lock = lock_of(project.lock.read_text(), "bmc.lock")
    (model,) = lock.models
    properties = tuple(
        dataclasses.replace(p, evidence=forged) if p.evidence.name == file.name else p
        for p in model.properties
    )
    model = dataclasses.replace(model, properties=properties)
    project.lock.write_text(text_of(dataclasses.replace(lock, models=(model,))))


@pytest.mark.parametrize(
    ("name", "alter", "said"),
    [
        ("Safe", lambda d: d.update(protocol="id-sequence"), "of another model"),
        ("Safe", lambda d: d.update(fingerprint="0" * 64), "of another model"),
        ("Safe", lambda d: d["parameters"].update(top=2), "of another model"),
        ("Safe", lambda d: d.update(conjuncts=[]), "is rejected"),
        ("Safe", lambda d: d.update(claims=d["claims"][:1]), "does not claim"),
        ("Safe", lambda d: d.update(format="bmc-certificate/9"), "no certificate"),
        ("Low", lambda d: d["steps"].pop(), "states, and the lock says"),
        ("Low", lambda d: d.update(property="Safe"), "another model or property"),
        ("Low", lambda d: d["steps"][-1]["state"].update(floor=0), "does not show"),
        ("Low", lambda d: d["steps"][1]["state"].update(floor=2), "does not show"),
        ("Low", lambda d: d["steps"][1]["state"].update(floor="x"), "does not show"),
        ("Low", lambda d: d["steps"][1]["state"].pop("floor"), "does not show"),
        ("Low", lambda d: d.pop("steps"), "no recorded trace"),
    ],
)
def test_forged_evidence_is_not_believed(
    project: Project, name: str, alter: object, said: str
) -> None:
    reseal(project, name, alter)
    assert said in unusable(project, name)


@pytest.mark.parametrize("place", ["folder", "evidence"])
def test_an_unwritable_folder(
    project: Project, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    forbidden: Path = getattr(project, place)
    before = project.snapshot()
    forbidden.chmod(0o500)
    # As it is for everybody but root, to whom nothing is forbidden.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).stat().st_mode & 0o200)
    try:
        assert f"cannot write into {forbidden}: permission denied" in complaint_of_update(project)
        assert project.regress().code == 0
        assert project.snapshot() == before
    finally:
        forbidden.chmod(0o700)


HARMLESS = ("s.require(s.opened)", "s.require(s.opened, ~s.moving)")


def new_evidence(project: Project, elsewhere: Path) -> Path:
    """The certificate that an update after a harmless change has to write."""
    shutil.copytree(project.folder, elsewhere)
    other = Project(elsewhere)
    other.write(HARMLESS)
    assert other.regress("--update").code == 0
    return project.evidence / other.file_of("Safe").name


@pytest.mark.parametrize("what", ["lock", "evidence"])
def test_a_full_disk_leaves_the_old_lock(
    project: Project,
    what: str,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    elsewhere = tmp_path_factory.mktemp("other") / "project"
    file = project.lock if what == "lock" else new_evidence(project, elsewhere)
    before = project.snapshot()
    project.write(HARMLESS)
    replace = files._replace

    def full(target: Path, data: bytes) -> None:
        if target.name == file.name:
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        replace(target, data)

    with monkeypatch.context() as patch:
        patch.setattr(files, "_replace", full)
        require_the_old_lock(project, before, code=4)


def test_a_directory_in_place_of_evidence_leaves_the_old_lock(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = new_evidence(project, tmp_path_factory.mktemp("other") / "project")
    before = project.snapshot()
    project.write(HARMLESS)
    file.mkdir()
    require_the_old_lock(project, before, code=2)
    file.rmdir()
    assert project.regress("--update").code == 0


@pytest.mark.parametrize("leads", ["text", "nowhere", "itself", "/dev/null", "/dev/full", "pipe"])
def test_what_stands_in_place_of_evidence_is_not_written_to(project: Project, leads: str) -> None:
    """A folder that came from somebody else names no file to replace, and no pipe to wait for."""
    before = project.snapshot()
    precious = project.folder / "precious"
    precious.write_text("kept")
    file = sorted(project.evidence.iterdir())[0]
    file.unlink()
    if leads == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to({"text": str(precious), "itself": file.name}.get(leads, leads))
    assert project.regress().code == 2
    assert project.regress("--update").code == 0
    assert file.is_file()
    assert not file.is_symlink()
    assert precious.read_text() == "kept"
    assert not (project.evidence / "nowhere").exists()
    precious.unlink()
    assert project.snapshot() == before
    assert project.regress().code == 0


def require_the_old_lock(project: Project, before: dict[str, str], code: int) -> None:
    """An update fails with that code and says so, and what there was is there."""
    said = complaint_of_update(project, code)
    assert "cannot write" in said
    assert "the old lock is as it was" in said
    now = project.snapshot()
    assert {n: t for n, t in now.items() if n in before} == before
    assert not list(project.folder.rglob("*.partial"))


def complaint_of_update(project: Project, code: int = 2) -> str:
    answered = project.regress("--update", "--json")
    assert answered.code == code
    return str(answered.document["error"]["message"])


def test_a_folder_that_cannot_be_made(project: Project) -> None:
    shutil.rmtree(project.evidence)
    project.evidence.write_text("in the way")
    assert "cannot make" in complaint_of_update(project)


def test_a_lock_in_no_folder(tmp_path: Path) -> None:
    lock = tmp_path / "nowhere" / "our.lock"
    answered = bmc("regress", "--baseline", str(lock), "--update", "--json")
    assert answered.code == 2
    assert "there is no directory" in answered.document["error"]["message"]


def test_a_pipe_or_a_device_in_place_of_a_lock(tmp_path: Path) -> None:
    """The one was waited for, and the other read until memory ended."""
    pipe, device = tmp_path / "pipe", tmp_path / "device"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for lock in (pipe, device):
        answered = bmc("regress", "--baseline", str(lock), "--json")
        assert answered.code == 2
        assert "no file but a pipe or a device" in answered.document["error"]["message"]


def test_a_directory_in_place_of_a_lock(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.lock.mkdir()
    assert "it is a directory" in complaint_of_update(project)
    assert project.regress().code == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--jobs", "0"], "1 or more"),
        (["--timeout", "0"], "must be positive"),
        (["--annotations", "gitlab"], "known: github"),
        (["--accept", "Safe"], "give both"),
        (["--update", "--accept", "Saef"], "did you mean Safe"),
        (["-p", "top=2"], "--protocol"),
        (["--protocol", "id-sequence"], "does not hold id-sequence"),
        (["--protocol", "id-sequense"], "did you mean id-sequence"),
        (["--junit", "/no/such/folder/x"], "there is no directory"),
        (["--markdown", "/"], "it is a directory"),
    ],
)
def test_options(project: Project, options: list[str], said: str) -> None:
    before = project.snapshot()
    answered = project.regress("--json", *options)
    assert answered.code == 2
    assert said in answered.document["error"]["message"]
    assert project.snapshot() == before


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_edit_of_a_lock_is_taken_for_one(project: Project, data: st.DataObject) -> None:
    """Whatever is cut out, doubled or replaced: the lock is refused, or says what it said."""
    text = project.lock.read_text()
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start, min(len(text), start + 200)))
    middle = data.draw(st.sampled_from(["", text[start:end] * 2, "x", "\n", '"', "0"]))
    models = lock_of(text, "bmc.lock").models
    try:
        found = lock_of(text[:start] + middle + text[end:], "bmc.lock").models
    except LockError:
        return
    assert found == models


@pytest.mark.parametrize("words", [(), ("--update", "--protocol", "id-sequence")])
@pytest.mark.parametrize("name", ["", ".", "/"])
def test_a_lock_has_a_name(name: str, words: tuple[str, ...]) -> None:
    """A variable of a script that is empty was an internal failure."""
    answered = bmc("regress", "--baseline", name, *words)
    assert answered.code == 2
    assert "names a lock, such as bmc.lock" in answered.err


def test_a_lock_behind_a_link_to_no_folder(project: Project) -> None:
    """It was refused when all had been decided, and its evidence was left behind."""
    shutil.rmtree(project.evidence)
    project.lock.unlink()
    project.lock.symlink_to("nowhere/bmc.lock")
    answered = project.regress("--json", "--update")
    assert answered.code == 2
    assert "there is no directory" in answered.document["error"]["message"]
    assert not project.evidence.exists()


def test_a_link_to_itself_in_place_of_a_protocol(project: Project) -> None:
    """It cost the answers about all other models."""
    assert project.regress("--update", "--protocol", "id-sequence").code == 0
    (project.lock.parent / "lift.py").unlink()
    (project.lock.parent / "lift.py").symlink_to("lift.py")
    answered = project.regress()
    assert answered.code == 2
    assert "cannot read lift.py: Too many levels of symbolic links" in answered.out
    assert "ok    id-sequence" in answered.out
