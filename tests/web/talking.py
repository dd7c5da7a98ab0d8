"""What a person does on the page, for the tests; without Playwright, importing this skips them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page, expect
else:
    expect = pytest.importorskip("playwright.sync_api", reason="browser tests need: pip install playwright").expect


def say(page: Page, text: str) -> None:
    """Write and send, and wait for the whole reply."""
    send(page, text)
    settled(page)


def send(page: Page, text: str) -> None:
    """Write and send."""
    page.locator("#box").fill(text)
    page.get_by_role("button", name="Send").click()


def settled(page: Page) -> None:
    """Wait until nothing is being written any more."""
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_hidden()
    expect(page.locator(".turn.live, .turn.pending")).to_have_count(0)


def show_list(page: Page) -> None:
    """Open the drawer where the list is one."""
    opener = page.get_by_role("button", name="Show your conversations")
    if opener.is_visible():
        opener.click()
        expect(page.get_by_role("button", name="Close the list")).to_be_focused()
