"""How the page begins, what can be set, and how everything is deleted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from talking import expect, say, show_list

if TYPE_CHECKING:
    from fake_api import FakeApi
    from playwright.sync_api import Page


def test_the_notice_says_what_this_is_and_consent_is_off(unread: Page, fake: FakeApi) -> None:
    notice = unread.locator("#notice-dialog")
    for words in ("a program, not a person", "not therapy", "In an emergency"):
        expect(notice).to_contain_text(words)
    expect(notice.get_by_role("checkbox")).not_to_be_checked()
    notice.get_by_role("button", name="Start talking").click()
    expect(unread.locator("#box")).to_be_focused()
    assert fake.bodies("PUT", "/api/consent") == []


def test_consent_is_sent_only_when_it_is_given(unread: Page, fake: FakeApi) -> None:
    unread.get_by_role("checkbox").check()
    unread.get_by_role("button", name="Start talking").click()
    expect(unread.locator("#notice-dialog")).to_be_hidden()
    assert fake.bodies("PUT", "/api/consent") == [{"research": True}]


def test_the_notice_is_shown_once_and_again_as_a_reminder_after_three_hours(page: Page) -> None:
    page.clock.install()
    with page.expect_response("**/api/conversations"):  # asked for once the page has begun to watch the time
        page.reload()
    expect(page.locator("#notice-dialog")).to_be_hidden()
    expect(page.locator("#reminder")).to_be_hidden()
    page.clock.fast_forward("03:01:00")
    expect(page.locator("#reminder")).to_contain_text("I am a program, not a person")
    page.get_by_role("button", name="All right").click()
    expect(page.locator("#reminder")).to_be_hidden()


def test_consent_can_be_given_and_taken_back_in_the_settings(page: Page, fake: FakeApi) -> None:
    show_list(page)
    page.get_by_role("button", name="Settings and data").click()
    field = page.locator("#consent")
    field.check()
    expect(page.get_by_text("You can take this back")).to_be_visible()
    field.uncheck()
    expect(page.get_by_text("yours alone")).to_be_visible()
    assert fake.bodies("PUT", "/api/consent") == [{"research": True}, {"research": False}]
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.locator("#settings-dialog")).to_be_hidden()


def test_consent_that_was_not_kept_is_not_shown_as_given(page: Page) -> None:
    page.route("**/api/consent", lambda route: route.abort())
    show_list(page)
    page.get_by_role("button", name="Settings and data").click()
    page.locator("#consent").click()
    expect(page.locator(".toast.alert")).to_contain_text("cannot be reached")
    expect(page.locator("#consent")).not_to_be_checked()


def test_light_and_dark_are_switched_and_remembered(page: Page) -> None:
    root = page.locator("html")
    show_list(page)
    page.get_by_role("button", name="Switch between light and dark").click()
    expect(root).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(233, 229, 223)"
    page.reload()
    expect(root).to_have_attribute("data-theme", "dark")
    show_list(page)
    page.get_by_role("button", name="Settings and data").click()
    page.get_by_label("Light", exact=True).check()
    expect(root).to_have_attribute("data-theme", "light")


def test_a_way_to_begin_goes_into_the_box(page: Page) -> None:
    page.get_by_role("button", name="I have good news").click()
    expect(page.locator("#box")).to_have_value("I have some good news: ")
    expect(page.locator("#box")).to_be_focused()


def test_the_chosen_system_answers(page: Page, fake: FakeApi) -> None:
    page.get_by_label("Who should listen?").select_option("Look-up")
    expect(page.locator("#system-about")).to_have_text("Answers with what others said.")
    say(page, "Hello there")
    assert fake.bodies("POST", "/api/conversations") == [{"system": "bm25"}]
    expect(page.locator("#system-used")).to_have_text("Look-up")


def test_everything_can_be_taken_along(page: Page) -> None:
    say(page, "Take this with you")
    show_list(page)
    page.get_by_role("button", name="Settings and data").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download everything").click()
    kept = json.loads(waiting.value.path().read_text(encoding="utf-8"))
    assert kept[0]["turns"][0]["text"] == "Take this with you"


def test_everything_is_deleted_only_after_a_question(page: Page, fake: FakeApi) -> None:
    say(page, "Forget me")
    show_list(page)
    page.get_by_role("button", name="Settings and data").click()
    page.get_by_role("button", name="Delete everything of mine").click()
    page.get_by_role("button", name="Keep it").click()
    assert fake.bodies("DELETE", "/api/me") == []
    page.get_by_role("button", name="Delete everything of mine").click()
    page.get_by_role("button", name="Delete everything", exact=True).click()
    expect(page.locator("#notice-dialog")).to_be_visible()
    assert fake.conversations == {}
    assert page.evaluate("Object.keys(localStorage).filter((name) => name !== 'hearten.theme')") == []
    assert page.evaluate("sessionStorage.length") == 0


def test_a_server_that_is_away_is_named_in_plain_words(page: Page) -> None:
    page.route("**/api/session", lambda route: route.abort())
    page.reload()
    expect(page.get_by_role("alert").filter(has_text="cannot be reached")).to_be_visible()
    page.unroute("**/api/session")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_label("Who should listen?")).to_be_visible()
