"""For everybody: no serious finding of axe-core on any view, light or dark; nothing wider than a small phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fake_content import TOKEN
from talking import expect, say, show_list

if TYPE_CHECKING:
    from fake_api import FakeApi
    from playwright.sync_api import BrowserContext, Page


def check(page: Page, axe: str, view: str) -> None:
    """Run axe-core in both themes and complain of what is serious."""
    page.evaluate(axe)
    for theme in ("light", "dark"):
        page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        found = page.evaluate("axe.run()")
        assert found["passes"]
        serious = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
        told = [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in serious]
        assert told == [], f"{view}, {theme}"


def close(page: Page) -> None:
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)


def test_the_start_is_accessible(unread: Page, axe: str) -> None:
    check(unread, axe, "notice")
    unread.get_by_role("button", name="Start talking").click()
    check(unread, axe, "start")
    show_list(unread)
    check(unread, axe, "list")
    unread.get_by_role("button", name="Settings and data").click()
    check(unread, axe, "settings")
    unread.get_by_role("button", name="Delete everything of mine").click()
    check(unread, axe, "question")
    unread.get_by_role("button", name="Keep it").click()
    close(unread)
    unread.get_by_role("button", name="I need help now").click()
    expect(unread.get_by_role("link", name="116 123")).to_be_visible()
    check(unread, axe, "help")


def test_a_conversation_is_accessible(page: Page, fake: FakeApi, axe: str) -> None:
    say(page, "My exam is on Friday")
    say(page, "I feel alone")
    page.get_by_role("button", name="sounds lonely").click()
    page.get_by_text("Why this reply?").last.click()
    fake.refusals = [500]
    page.locator("#box").fill("Lost?")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#trouble")).to_contain_text("It failed.")
    check(page, axe, "conversation")
    page.get_by_text("Answer:").click()
    check(page, axe, "intents")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="More about this conversation").click()
    check(page, axe, "menu")
    page.get_by_role("button", name="Rename").click()
    check(page, axe, "rename")
    close(page)
    for name in ("How it felt", "Report this reply", "Write what it should have said"):
        page.get_by_role("button", name=name).last.click()
        check(page, axe, name)
        close(page)


def test_the_crisis_card_is_accessible(page: Page, axe: str) -> None:
    say(page, "I want to die")
    check(page, axe, "crisis")


def test_the_review_page_is_accessible(context: BrowserContext, address: str, axe: str) -> None:
    page = context.new_page()
    page.goto(f"{address}/review")
    check(page, axe, "token")
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.locator(".item")).to_have_count(3)
    page.get_by_role("button", name="Amend").first.click()
    check(page, axe, "queue")


def test_nothing_is_wider_than_a_small_phone(page: Page, address: str, size: str) -> None:
    if size == "desktop":
        pytest.skip("a small phone is meant")
    page.set_viewport_size({"width": 360, "height": 640})
    fits = "[document.documentElement, document.getElementById('main')].every((one) => one.scrollWidth <= innerWidth)"
    assert page.evaluate(fits)
    say(page, "exam" * 60)
    page.get_by_role("button", name="sounds anxious").click()
    say(page, "I want to die")
    assert page.evaluate(fits)
    page.goto(f"{address}/review")
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.locator(".item")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_drawer_of_a_phone_keeps_the_focus_inside_and_gives_it_back(page: Page, size: str) -> None:
    if size == "desktop":
        pytest.skip("there is no drawer")
    show_list(page)
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || !!document.activeElement.closest('#sidebar')")
    page.get_by_role("button", name="Close the list").focus()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Show your conversations")).to_be_focused()
