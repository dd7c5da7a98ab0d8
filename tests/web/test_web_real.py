"""One walk through the page with the real server behind it: what the stand-in promises has to be true."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from talking import expect, say, settled, show_list

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

TOKEN = "a-token-that-is-long-enough"
MODULES = ("sqlalchemy", "alembic", "fastapi")


@pytest.fixture
def served(tmp_path: Path, size: str) -> Iterator[str]:
    """The real server with the smallest system, on a free port."""
    if size == "phone":
        pytest.skip("the same server at any width")
    for name in MODULES:
        pytest.importorskip(name, reason="needs the extra `serve`")
    token = tmp_path / "token"
    token.write_text(TOKEN, encoding="utf-8")
    command = [sys.executable, "-m", "hearten", "serve", "--system", "bm25", "--preset", "tiny", "--port", "0"]
    command += ["--workers", "1", "--data-folder", str(tmp_path), "--review-token-file", str(token)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ)
    try:
        assert server.stderr is not None
        yield next(line.strip().rstrip("/") for line in server.stderr if line.startswith("http"))
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)


def test_the_page_and_the_real_server_understand_each_other(context: BrowserContext, served: str) -> None:
    page = context.new_page()
    page.goto(served)
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Start talking").click()
    page.locator("#notice-dialog").wait_for(state="hidden")  # what is typed behind it is lost
    say(page, "I feel so lonely since my best friend moved away")
    _feeling_is_corrected(page)
    _reply_is_judged(page)
    page.get_by_role("button", name="Answer again").click()
    settled(page)
    expect(page.locator(".turn")).to_have_count(2)
    page.get_by_role("button", name="How it felt").click()
    expect(page.locator(".plot-dot")).to_have_count(1)
    page.keyboard.press("Escape")
    say(page, "I want to kill myself")
    expect(page.get_by_role("link", name="116 123")).to_be_visible()
    page.reload()
    expect(page.locator(".turn")).to_have_count(4)
    _review(context, served)
    _everything_is_deleted(page)


def _feeling_is_corrected(page: Page) -> None:
    page.locator(".feeling-toggle").click()
    expect(page.locator(".bars li")).to_have_count(3)
    page.get_by_label("More like").select_option("Nostalgic")
    page.get_by_role("button", name="Correct").click()
    expect(page.get_by_role("button", name="you said: nostalgic")).to_be_visible()


def _reply_is_judged(page: Page) -> None:
    page.get_by_role("button", name="This helped").click()
    expect(page.get_by_role("button", name="This helped")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Write what it should have said").click()
    page.get_by_label("A better reply").fill("That sounds lonely.")
    page.get_by_role("button", name="Keep my version").click()
    expect(page.locator(".turn.listener blockquote")).to_have_text("That sounds lonely.")
    page.get_by_role("button", name="Report this reply").click()
    page.get_by_label("It makes no sense").check()
    page.locator("#report-dialog").get_by_role("button", name="Report").click()
    expect(page.locator(".turn.listener")).to_contain_text("You reported this reply")
    page.get_by_role("button", name="More about this conversation").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Export as Markdown").click()
    assert "moved away" in waiting.value.path().read_text(encoding="utf-8")


def _review(context: BrowserContext, served: str) -> None:
    page = context.new_page()
    page.goto(f"{served}/review")
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.locator(".item")).to_have_count(3)
    for name in ("Accept", "Reject"):
        page.get_by_role("button", name=name).first.click()
        expect(page.locator(".toast").last).to_have_text(f"{name}ed.")
    item = page.locator(".item")
    expect(item).to_have_count(1)
    item.get_by_role("button", name="Amend").click()
    item.get_by_role("button", name="Amend").click()
    expect(page.locator("#queue-note")).to_have_text("Nothing here. Well done.")
    page.locator("#state").select_option("amended")
    expect(page.locator(".item")).to_have_count(1)
    expect(page.locator("#counts rect")).to_have_count(3)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download").click()
    assert len(waiting.value.path().read_text(encoding="utf-8").splitlines()) == 2
    page.close()


def _everything_is_deleted(page: Page) -> None:
    show_list(page)
    page.get_by_role("button", name="Settings and data").click()
    page.get_by_role("button", name="Delete everything of mine").click()
    page.get_by_role("button", name="Delete everything", exact=True).click()
    page.get_by_role("button", name="Start talking").click()
    expect(page.locator("#no-conversations")).to_be_visible()
