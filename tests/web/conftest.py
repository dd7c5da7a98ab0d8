"""A real browser on a page that the stand-in serves; skipped where there is no Chromium."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))
if TYPE_CHECKING:
    from fake_api import FakeApi
    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM = os.environ.get("HEARTEN_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
SIZES = {"desktop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
AXE = "axe-core-4.14.0.tgz"
AXE_HASH = "2277b0a3ef47af9b52497faa3e71598e86e0a0e5e6eb295207a5657ede4709af"
PATIENCE = 10_000


@pytest.fixture(scope="module")  # while it runs, no other test of the process can run an event loop of its own
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    if CHROMIUM is None:
        pytest.skip("browser tests need Chromium: apt-get install chromium, or set HEARTEN_CHROMIUM")
    driving = pytest.importorskip("playwright.sync_api", reason="browser tests need: pip install playwright")
    with driving.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture
def fake() -> FakeApi:
    """What the stand-in knows; tests change it to make things go wrong."""
    pytest.importorskip("starlette", reason="browser tests need the extra `serve`")
    from fake_api import FakeApi

    return FakeApi()


@pytest.fixture
def address(fake: FakeApi) -> Iterator[str]:
    """The stand-in, served on a free port of this machine."""
    import uvicorn
    from fake_api import fake_app

    config = uvicorn.Config(fake_app(fake), port=0, log_level="critical", ws="none", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    fake.is_held = fake.is_silent = False
    server.should_exit = True
    thread.join(timeout=5)


@pytest.fixture(params=list(SIZES))
def size(request: pytest.FixtureRequest) -> str:
    """A desk, or a phone."""
    return str(request.param)


@pytest.fixture
def context(browser: Browser, size: str) -> Iterator[BrowserContext]:
    """A fresh visitor; whatever the page logs as an error fails the test, violations of the policy too."""
    made = browser.new_context(viewport=SIZES[size], locale="en-GB", reduced_motion="reduce", accept_downloads=True)
    made.grant_permissions(["clipboard-read", "clipboard-write"])
    made.set_default_timeout(PATIENCE)
    errors: list[str] = []
    made.on("weberror", lambda error: errors.append(str(error.error)))
    made.on("console", lambda told: errors.append(told.text) if _is_fault(told.type, told.text) else None)
    yield made
    made.close()
    assert errors == []


def _is_fault(kind: str, text: str) -> bool:
    """Leave out what Chromium says of refused requests, which the tests cause on purpose."""
    return kind == "error" and "Failed to load resource" not in text and "net::ERR" not in text


@pytest.fixture
def unread(context: BrowserContext, address: str) -> Page:
    """The page as somebody sees it who comes for the first time."""
    page = context.new_page()
    page.goto(address)
    page.locator("#notice-dialog").wait_for()
    return page


@pytest.fixture
def page(unread: Page) -> Page:
    """The page after the notice."""
    unread.get_by_role("button", name="Start talking").click()
    unread.locator("#notice-dialog").wait_for(state="hidden")
    return unread


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of axe-core, fetched once with npm into the user's cache, or given by HEARTEN_AXE."""
    folder = Path(os.environ.get("HEARTEN_AXE") or Path.home() / ".cache" / "hearten-tests")
    archive = folder / AXE
    if not archive.exists() and shutil.which("npm"):
        folder.mkdir(parents=True, exist_ok=True)
        wanted = "axe-core@" + AXE.removeprefix("axe-core-").removesuffix(".tgz")
        subprocess.run(["npm", "pack", wanted], cwd=folder, capture_output=True, timeout=120, check=False)
    if not archive.exists():
        pytest.skip(f"accessibility tests need {AXE} in {folder}: npm pack axe-core")
    assert hashlib.sha256(archive.read_bytes()).hexdigest() == AXE_HASH
    with tarfile.open(archive) as packed:
        source = packed.extractfile("package/axe.min.js")
        assert source is not None
        return source.read().decode()
