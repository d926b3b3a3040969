"""`bmc.encodings` and `bmc.properties` are found however bmc is installed, and under no other name.

The folder `encodings/` at the root shares its name with the package of Python's own codecs, which
every interpreter loads before anything else. What is tried here: an installed wheel, an editable
install, a bare checkout on PYTHONPATH, and a wheel that nobody unpacked, which is how a Spark
executor may get it.
"""

import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IN_CHECKOUT = [
    ROOT / "bmc" / "__init__.py",
    ROOT / "encodings" / "kafka" / "__init__.py",
    ROOT / "properties" / "__init__.py",
]

# The wheel is built once for all of this file, also when the tests run in parallel.
pytestmark = pytest.mark.xdist_group("packaging")

WHERE_FROM = """
import bmc, bmc.encodings, bmc.encodings.kafka, bmc.properties
print(bmc.__file__, bmc.encodings.kafka.__file__, bmc.properties.__file__, sep="\\n")
"""


def run(*command: str | Path, cwd: Path, pythonpath: str | None = None) -> str:
    """What `command` prints, with no Python variable of this process in its environment."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    if pythonpath is not None:
        environment["PYTHONPATH"] = pythonpath
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def imported_from(python: Path, *, cwd: Path, pythonpath: str | None = None) -> list[Path]:
    """The files of `bmc`, `bmc.encodings.kafka` and `bmc.properties` that `python` imports."""
    out = run(python, "-c", WHERE_FROM, cwd=cwd, pythonpath=pythonpath)
    return [Path(line) for line in out.splitlines()]


Environment = Callable[[str], Path]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Makes an environment that has bmc's dependencies and not bmc, and answers its Python.

    The dependencies are those of this interpreter, lent by a line in a `.pth` file: a folder
    named there is searched, but the `.pth` files in it, such as that of an editable bmc, are not.
    """

    def make(name: str) -> Path:
        folder = tmp_path_factory.mktemp(name)
        venv.create(folder, symlinks=os.name != "nt", with_pip=False)
        python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        site = run(
            python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder
        )
        lent = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
        Path(site.strip(), "lent.pth").write_text("\n".join(lent))
        return python

    return make


def install(python: Path, *what: str | Path) -> None:
    """Installs `what`, and only that, into the environment of `python`."""
    run(
        *(sys.executable, "-m", "pip", "--python", python, "install", "--quiet"),
        *("--no-deps", "--no-index", "--no-build-isolation", *what),
        cwd=python.parent,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", folder),
        *("--no-deps", "--no-index", "--no-build-isolation", ROOT),
        cwd=folder,
    )
    (built,) = folder.glob("bmc_checker-*.whl")
    return built


@pytest.fixture(scope="module")
def bare(environment: Environment) -> Path:
    """A Python that does not have bmc."""
    return environment("bare")


@pytest.fixture(scope="module")
def installed(environment: Environment, wheel: Path) -> Path:
    """A Python that has bmc from the wheel."""
    python = environment("installed")
    install(python, wheel)
    return python


@pytest.fixture(scope="module")
def editable(environment: Environment) -> Path:
    """A Python that has bmc from an editable install of this checkout."""
    python = environment("editable")
    install(python, "--editable", ROOT)
    return python


def test_the_wheel_holds_every_module_and_nothing_else(wheel: Path) -> None:
    expected = {
        (Path() if room == "bmc" else Path("bmc")) / path.relative_to(ROOT)
        for room in ("bmc", "encodings", "properties")
        for path in (ROOT / room).rglob("*.py")
    }
    examples = [path for path in (ROOT / "docs" / "examples").rglob("*") if path.is_file()]
    examples = [path for path in examples if path.suffix in (".py", ".tla", ".cfg")]
    copied = {Path("bmc") / path.relative_to(ROOT / "docs") for path in examples}
    expected |= {path for path in copied if path.suffix == ".py"}
    inside = {Path(name) for name in zipfile.ZipFile(wheel).namelist()}
    assert {path for path in inside if path.suffix == ".py"} == expected
    assert copied <= inside
    assert Path("bmc/py.typed") in inside
    assert {path.parts[0].partition("-")[0] for path in inside} == {"bmc", "bmc_checker"}


def test_wheel(installed: Path, tmp_path: Path) -> None:
    environment = installed.parents[1]
    for path in imported_from(installed, cwd=tmp_path):
        assert path.is_relative_to(environment)


@pytest.mark.nightly
def test_wheel_with_the_root_of_a_checkout_on_the_path(installed: Path) -> None:
    site = imported_from(installed, cwd=ROOT)[0].parents[1]
    files = imported_from(installed, cwd=ROOT, pythonpath=os.pathsep.join([str(site), "."]))
    assert all(path.is_relative_to(site) for path in files)
    # The root alone comes before site-packages: then all of it is the checkout's.
    assert imported_from(installed, cwd=ROOT, pythonpath=".") == IN_CHECKOUT


def test_wheel_that_nobody_unpacked(bare: Path, wheel: Path, tmp_path: Path) -> None:
    for path in imported_from(bare, cwd=tmp_path, pythonpath=str(wheel)):
        assert path.is_relative_to(wheel)


def test_command(installed: Path, tmp_path: Path) -> None:
    assert "prove" in run(installed.with_name("bmc"), "--help", cwd=tmp_path)


def test_an_installed_example_is_copied_and_read(installed: Path, tmp_path: Path) -> None:
    bmc = installed.with_name("bmc")
    assert "two_phase_commit" in run(bmc, "new", "--examples", cwd=tmp_path)
    run(bmc, "new", "--example", "two_phase_commit", cwd=tmp_path)
    said = run(bmc, "list", "two_phase_commit.py:TwoPhaseCommit", cwd=tmp_path)
    assert "TCConsistent" in said


def test_editable_install(editable: Path, tmp_path: Path) -> None:
    assert imported_from(editable, cwd=tmp_path) == IN_CHECKOUT


@pytest.mark.parametrize("pythonpath", [".", str(ROOT)])
def test_checkout(bare: Path, tmp_path: Path, pythonpath: str) -> None:
    cwd = ROOT if pythonpath == "." else tmp_path
    assert imported_from(bare, cwd=cwd, pythonpath=pythonpath) == IN_CHECKOUT


def test_an_interpreter_starts_at_the_root_and_finds_its_codecs(bare: Path) -> None:
    code = "import encodings; print(encodings.__file__, 'é'.encode('cp1252'))"
    out = run(bare, "-c", code, cwd=ROOT, pythonpath=".")
    assert out.endswith("b'\\xe9'\n")
    assert not out.startswith(str(ROOT))


@pytest.mark.parametrize(
    "name", ["encodings.kafka", "properties", "properties.kafka", "kafka", "bmc.bmc", "bmc.tests"]
)
def test_no_second_name(bare: Path, name: str) -> None:
    code = f"try: import {name}\nexcept ImportError: print('refused')"
    assert run(bare, "-c", code, cwd=ROOT, pythonpath=".") == "refused\n"


def test_importing_bmc_loads_next_to_nothing(bare: Path, tmp_path: Path) -> None:
    code = "import sys; before = set(sys.modules); import bmc; print(*set(sys.modules) - before)"
    loaded = set(run(bare, "-c", code, cwd=tmp_path, pythonpath=str(ROOT)).split())
    assert {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names == {"bmc"}
    assert {name for name in loaded if name.startswith("bmc")} == {"bmc"}
    assert len(loaded) < 10


def other_pythons() -> list[str]:
    """The interpreters of this machine, one for each version that bmc is for."""
    found = {}
    folders = [Path(sys.executable).parent, *map(Path, os.get_exec_path())]
    folders += Path.home().glob(".pyenv/versions/*/bin")
    for name in (f"python3.{minor}" for minor in range(11, 15)):
        for python in (folder / name for folder in folders):
            works = (python, "-c", "import ensurepip, venv")
            if name not in found and python.is_file():
                done = subprocess.run(works, capture_output=True, check=False)
                if done.returncode == 0:
                    found[name] = str(python)
    return list(found.values())


@pytest.mark.nightly
@pytest.mark.parametrize("python", other_pythons())
@pytest.mark.parametrize("what", ["wheel", "sdist"])
def test_it_installs_with_its_dependencies_and_proves(
    wheel: Path, tmp_path: Path, python: str, what: str
) -> None:
    """What a user does on a machine without a checkout, whichever version of Python is there."""
    package = wheel
    if what == "sdist":
        run(sys.executable, "-m", "build", "--sdist", "--outdir", tmp_path, ROOT, cwd=tmp_path)
        (package,) = tmp_path.glob("bmc_checker-*.tar.gz")
    run(python, "-m", "venv", tmp_path / "fresh", cwd=tmp_path)
    bin_ = tmp_path / "fresh" / ("Scripts" if os.name == "nt" else "bin")
    run(bin_ / "python", "-m", "pip", "install", "--quiet", package, cwd=tmp_path)
    proved = run(bin_ / "bmc", "prove", "id-sequence", cwd=tmp_path)
    assert "proved" in proved
    run(bin_ / "bmc", "new", "lock_service", cwd=tmp_path)
    assert "MutualExclusion  proved" in run(
        bin_ / "bmc", "prove", "lock_service.py:LockService", cwd=tmp_path
    )
