"""The wheel is whole: built, installed into a clean environment, it answers from another folder."""

import json
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Standard output of a command that must succeed."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MUAT_")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**plain, "PYTHONPATH": "", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def clean_bin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment that has the wheel, and beside it only its dependencies."""
    work = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", work, cwd=ROOT)
    (wheel,) = work.glob("muat-*.whl")
    clean = work / "clean"
    venv.create(clean, with_pip=False)
    python = clean / "bin" / "python"
    pip = ("-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index")
    run(sys.executable, *pip, "--disable-pip-version-check", wheel, cwd=work)
    (site,) = clean.glob("lib/python*/site-packages")
    # A folder named in a .pth file lends its packages, not its own .pth files: no editable install.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return clean / "bin"


def test_the_wheel_answers_from_another_folder(clean_bin: Path, tmp_path: Path) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    where = run(clean_bin / "python", "-c", "import bot; print(bot.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(clean_bin.parent)
    said = run(clean_bin / "muat", "fit", "llama-70b qlora", "--json", cwd=tmp_path, **cache)
    plan = json.loads(said)
    assert plan["verdict"] == "fits"
    assert plan["options"][0]["usd_per_hour"] > 0


def test_the_wheel_carries_templates_and_both_languages(clean_bin: Path, tmp_path: Path) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    for surface in ("slack", "discord", "console", "web"):
        english, indonesian = (
            run(
                clean_bin / "muat", "render", "fit", "--surface", surface, "--lang", language,
                cwd=tmp_path, **cache,
            )
            for language in ("en", "id")
        )  # fmt: skip
        assert "cards." not in english + indonesian, "a key stands where words should"
        assert english != indonesian


def test_the_license_is_in_the_wheel(clean_bin: Path) -> None:
    (info,) = clean_bin.parent.glob("lib/python*/site-packages/muat-*.dist-info")
    assert "Apache License" in (info / "licenses" / "LICENSE").read_text()
