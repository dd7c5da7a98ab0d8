"""Take the pictures of the docs from a running server: python tests/web/pictures.py ADDRESS REVIEW_TOKEN FOLDER."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright
from talking import say

SAID = (
    "I have an exam on Friday and I cannot sleep. Every time I close my eyes I see the questions.",
    "Since the summer, I think. I feel quite alone with it, everybody else seems so calm.",
)
DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 780}


def main(address: str, token: str, folder: Path) -> None:
    """Talk, and take pictures."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, size, scheme in (("desktop", DESK, "light"), ("phone", PHONE, "light"), ("dark", DESK, "dark")):
            page = _page(browser, size, scheme, address)
            _talk(page)
            page.screenshot(path=folder / f"chat-{name}.png")
            if name == "desktop":
                _give_feedback(page)
        page = _page(browser, DESK, "light", f"{address}/review")
        page.get_by_label("Token").fill(token)
        page.keyboard.press("Enter")
        page.locator(".item").first.wait_for()
        page.screenshot(path=folder / "review.png")
        browser.close()


def _page(browser: Browser, size: dict[str, int], scheme: str, address: str) -> Page:
    context = browser.new_context(
        viewport=size,  # type: ignore[arg-type]
        color_scheme=scheme,  # type: ignore[arg-type]
        locale="en-GB",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(address)
    return page


def _talk(page: Page) -> None:
    page.get_by_role("button", name="Start talking").click()
    for text in SAID:
        say(page, text)
    page.locator(".feeling-toggle").last.click()
    page.locator("#scroller").evaluate("(one) => { one.scrollTop = one.scrollHeight; }")
    page.locator("#box").blur()


def _give_feedback(page: Page) -> None:
    page.get_by_role("button", name="Report this reply").first.click(force=True)
    page.get_by_label("It misses what I said").check()
    page.locator("#report-dialog").get_by_role("button", name="Report").click()
    page.locator("#report-dialog").wait_for(state="hidden")
    page.get_by_role("button", name="Write what it should have said").last.click()
    page.get_by_label("A better reply").fill("Being the only one awake is lonely. What would make tonight easier?")
    page.get_by_role("button", name="Keep my version").click()
    page.locator("#edit-dialog").wait_for(state="hidden")


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"), sys.argv[2], Path(sys.argv[3]))
