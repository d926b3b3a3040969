"""A file is written whole or not at all, to where its name leads."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bmc.regress.lock import Lock
from bmc.regress.notation import text_of
from bmc.running import files
from bmc.running.files import (
    UnwritableFile,
    WriteFailed,
    make_folder,
    require_writable,
    write_file,
)
from tests.cli.running import ROOT


def test_a_new_file_is_like_any_other(tmp_path: Path) -> None:
    file = tmp_path / "new"
    write_file(file, "text →\n")
    (tmp_path / "other").write_text("")
    assert file.read_bytes() == "text →\n".encode()
    assert file.stat().st_mode == (tmp_path / "other").stat().st_mode
    assert sorted(os.listdir(tmp_path)) == ["new", "other"]


def test_permissions_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "old"
    file.write_text("old")
    file.chmod(0o640)
    write_file(file, b"new")
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.parametrize("exists", [True, False])
def test_links_are_followed(exists: bool, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    if exists:
        (there / "real").write_text("old")
    (there / "link").symlink_to("real")
    (tmp_path / "link").symlink_to(there / "link")
    require_writable(tmp_path / "link")
    write_file(tmp_path / "link", "new")
    assert (there / "real").read_text() == "new"
    assert (tmp_path / "link").is_symlink()
    assert (there / "link").is_symlink()


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for write in (require_writable, lambda path: write_file(path, "")):
        with pytest.raises(UnwritableFile, match="circle"):
            write(tmp_path / "a")
        with pytest.raises(UnwritableFile, match="cannot write"):
            write(tmp_path / "a" / "proof.json")


def test_where_a_path_leads_is_asked_in_one_way() -> None:
    """Of links in a circle `Path.resolve` makes an error that is none of the system's."""
    bmc_folder = Path(str(files.__file__)).parent.parent
    found = [path for path in bmc_folder.rglob("*.py") if ".resolve(" in path.read_text("utf-8")]
    assert not found, "write bmc.running.files.real(path)"


def test_a_fifo_stays_one(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reading = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    require_writable(fifo)
    write_file(fifo, "through")
    assert os.read(reading, 100) == b"through"
    os.close(reading)
    assert stat.S_ISFIFO(fifo.stat().st_mode)


@pytest.mark.parametrize("name", ["/dev/null", "/dev/full"])
def test_a_device_stays_one(name: str, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(name)
    for path in (Path(name), link):
        require_writable(path)
        if name == "/dev/null":
            write_file(path, "text")
        else:
            with pytest.raises(WriteFailed, match="No space left"):
                write_file(path, "text")
    assert stat.S_ISCHR(os.stat(name).st_mode)
    assert link.is_symlink()


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, "fsync", full)


@pytest.mark.usefixtures("full_disk")
@pytest.mark.parametrize("exists", [True, False])
def test_a_full_disk_leaves_what_was_there(exists: bool, tmp_path: Path) -> None:
    file = tmp_path / "file"
    if exists:
        file.write_text("old")
    with pytest.raises(WriteFailed, match=r"cannot write .*file: No space left"):
        write_file(file, "new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == (
        [("file", "old")] if exists else []
    )


@pytest.mark.parametrize("name", ["", "nowhere/file"])
def test_a_place_that_cannot_be_written_is_known_before(name: str, tmp_path: Path) -> None:
    for write in (require_writable, lambda path: write_file(path, "")):
        with pytest.raises(UnwritableFile, match="cannot write") as caught:
            write(tmp_path / name)
        assert not isinstance(caught.value, WriteFailed)


def test_from_a_folder_that_was_removed_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    for write in (require_writable, lambda path: write_file(path, "")):
        with pytest.raises(UnwritableFile, match="the working directory is not there any more"):
            write(Path("file"))
        write(tmp_path / "file")


@pytest.mark.parametrize("uri", ["file:///srv/found", "s3://bucket/found", "hdfs://host:9/found"])
def test_a_uri_is_no_folder_of_the_working_directory(
    uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnwritableFile, match="write the path alone"):
        make_folder(Path(uri))
    assert not list(tmp_path.iterdir())


def test_a_folder_with_the_name_of_a_scheme_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file:").mkdir()
    make_folder(Path("file:/found"))
    assert (tmp_path / "file:" / "found").is_dir()


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
@pytest.mark.parametrize("to_file", [True, False])
def test_the_streams_of_the_process_are_no_files(name: str, to_file: bool, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/dev/stdout")
    script = (
        "from pathlib import Path\nfrom bmc.running.files import require_writable, write_file\n"
        f"print('before')\nrequire_writable(Path({name!r}))\nwrite_file(Path({name!r}), 'it\\n')\n"
        "print('after')"
    )
    with (tmp_path / "out").open("w+") as out:
        found = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            cwd=tmp_path,
            stdout=out if to_file else subprocess.PIPE,
            text=True,
            check=True,
        )
        out.seek(0)
        assert (out.read() if to_file else found.stdout) == "before\nit\nafter\n"
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("number", ["read", "closed", "9" * 30])
def test_a_stream_that_nobody_can_write_to_is_known_before(number: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    handle = os.open(tmp_path / "file", os.O_RDONLY)
    if number == "closed":
        os.close(handle)
    path = Path(f"/dev/fd/{handle if number in ('read', 'closed') else number}")
    for write in (require_writable, lambda path: write_file(path, "")):
        with pytest.raises(UnwritableFile, match="is not open for writing: name a file") as caught:
            write(path)
        assert not isinstance(caught.value, WriteFailed)
    if number == "read":
        os.close(handle)


@pytest.mark.parametrize(
    ("name", "looks"),
    [
        *((name, "text of a protocol") for name in ("log.py", "Log.tla", "Log.cfg")),
        ("map.toml", "a mapping"),
        *((name, "a log") for name in ("events.ndjson", "events.jsonl", "broker.log")),
    ],
)
def test_what_bmc_reads_is_not_replaced(name: str, looks: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text("by hand")
    (tmp_path / "proof.json").symlink_to(file)
    for path in (file, tmp_path / "proof.json"):
        with pytest.raises(UnwritableFile, match=looks):
            require_writable(path)
        with pytest.raises(UnwritableFile, match=looks):
            write_file(path, "by bmc")
    assert file.read_text() == "by hand"
    write_file(tmp_path / f"new{name}", "by bmc")


def test_a_lock_is_replaced_by_its_update_alone(tmp_path: Path) -> None:
    """`bmc prove --certificate bmc.lock` took it away, and said that all was proved."""
    file, said = tmp_path / "any.name", text_of(Lock("named"))
    write_file(file, said, renews=True)
    (tmp_path / "proof.json").symlink_to(file)
    for path in (file, tmp_path / "proof.json"):
        with pytest.raises(UnwritableFile, match="it is a lock"):
            require_writable(path)
        with pytest.raises(UnwritableFile, match="it is a lock"):
            write_file(path, "by bmc")
    assert file.read_text() == said
    write_file(file, said + "# more", renews=True)
    assert file.read_text() == said + "# more"


def test_the_evidence_of_a_lock_is_replaced_by_its_update_alone(tmp_path: Path) -> None:
    """`bmc prove --certificate bmc.lock.d/…` put another proof in its place."""
    folder = tmp_path / "bmc.lock.d"
    folder.mkdir()
    file = folder / "proof.json"
    write_file(file, "evidence", renews=True)
    (tmp_path / "link").symlink_to(folder)
    write_file(file, "no lock is beside it")
    write_file(tmp_path / "bmc.lock", text_of(Lock("named")), renews=True)
    for path in (file, folder / "new.json", tmp_path / "link" / "proof.json"):
        with pytest.raises(UnwritableFile, match="the evidence of the lock"):
            require_writable(path)
        with pytest.raises(UnwritableFile, match="the evidence of the lock"):
            write_file(path, "by bmc")
    assert file.read_text() == "no lock is beside it"
    write_file(file, "evidence", renews=True)
    assert file.read_text() == "evidence"


def test_a_file_that_cannot_be_read_is_no_failure() -> None:
    """A file of the system's, which gives an error where it is read."""
    memory = Path("/proc/self/mem")
    if not memory.is_file():
        pytest.skip("there is no such file")
    with pytest.raises(UnwritableFile, match="cannot write"):
        write_file(memory, "by bmc")
