"""The arrows between the rooms: who may import whom, and who may touch files, network and SDKs."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted(p for top in ("planner", "bot") for p in (ROOT / top).rglob("*.py"))

#: Module prefix -> the only rooms that may import it.
ONLY_IN = {
    "slack_sdk": ("bot.slack",),
    "slack_bolt": ("bot.slack",),
    "discord": ("bot.discord",),
    "sqlite3": ("planner.catalog",),
    "sqlite_utils": ("planner.catalog",),
    "urllib.request": ("planner.catalog", "planner.models.hub"),
    "http.client": ("planner.catalog.sources",),
    "socket": (),
    "requests": (),
    "httpx": (),
    "httpx2": ("planner.models.hub",),
    "huggingface_hub": ("planner.models.hub",),
    "sqlalchemy": ("bot.store", "bot.digests", "bot.faq.feedback"),
    "alembic": ("bot.store",),
    "dbos": ("bot.digests", "bot.watches"),
    "typer": ("bot.catalog_cli", "bot.cli", "bot.failures"),
}
#: Calls that read or write files; package data goes through planner.data_files.
FILE_CALLS = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "mkdir", "unlink"}
FILES_ALLOWED_IN = ("planner.catalog", "planner.models.hub", "planner.data_files")


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the arrow"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(module: str, rooms: tuple[str, ...]) -> bool:
    return any(module == room or module.startswith(room + ".") for room in rooms)


def test_there_is_something_to_check() -> None:
    assert len(SOURCES) > 80


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_the_planner_never_imports_the_bot(path: Path) -> None:
    if module_of(path).startswith("planner"):
        assert not [name for name in imports_of(path) if within(name, ("bot",))]


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_sdks_and_stores_stay_in_their_rooms(path: Path) -> None:
    module = module_of(path)
    wrong = [
        name
        for name in imports_of(path)
        for guarded, rooms in ONLY_IN.items()
        if within(name, (guarded,)) and not within(module, rooms)
    ]
    assert not wrong


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_only_the_catalog_and_the_hub_touch_files(path: Path) -> None:
    module = module_of(path)
    if not module.startswith("planner") or within(module, FILES_ALLOWED_IN):
        return
    calls = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    ]
    names = {getattr(call.func, "attr", getattr(call.func, "id", "")) for call in calls}
    assert not names & FILE_CALLS


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_the_planner_reads_neither_clock_nor_environment(path: Path) -> None:
    module = module_of(path)
    if module.startswith("planner"):
        text = path.read_text(encoding="utf-8")
        assert "datetime.now" not in text
        assert "time.time(" not in text
        assert "os.environ" not in text


def test_no_circles_between_modules() -> None:
    known = {module_of(path) for path in SOURCES}
    arrows = {
        module_of(path): {
            name for name in imports_at_the_top(path) if name in known and name != module_of(path)
        }
        for path in SOURCES
    }
    finished: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " -> ".join((*trail, module))
        if module in finished:
            return
        for target in arrows[module]:
            visit(target, (*trail, module))
        finished.add(module)

    for module in arrows:
        visit(module, ())


def imports_at_the_top(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
