"""The card in a crisis, and help for whoever asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from talking import expect, say, show_list

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_a_crisis_is_met_with_a_card_of_people_to_call(page: Page) -> None:
    say(page, "I want to die")
    card = page.get_by_role("region", name="People you can reach now")
    expect(card).to_contain_text("You deserve a person right now.")
    expect(card.get_by_role("link", name="999")).to_have_attribute("href", "tel:999")
    expect(card.get_by_role("link", name="116 123")).to_have_attribute("href", "tel:116123")
    expect(card.get_by_role("link", name="findahelpline.com")).to_have_attribute("rel", "noopener noreferrer")
    expect(page.get_by_role("button", name="Answer again")).to_have_count(0)
    expect(page.locator(".feeling")).to_be_hidden()


def test_the_country_of_the_helplines_is_chosen_and_remembered(page: Page) -> None:
    say(page, "I want to die")
    card = page.get_by_role("region", name="People you can reach now")
    card.get_by_label("Your country").select_option("France")
    expect(card.get_by_role("link", name="3114")).to_be_visible()
    expect(card.get_by_role("link", name="999")).to_have_count(0)
    page.reload()
    expect(page.get_by_label("Your country")).to_have_value("FR")


def test_help_is_one_press_away(page: Page) -> None:
    show_list(page)
    page.get_by_role("button", name="I need help now").click()
    dialog = page.get_by_role("dialog", name="People you can reach now")
    expect(dialog.get_by_role("link", name="116 123")).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()


def test_help_is_there_even_when_the_server_is_not(page: Page) -> None:
    page.route("**/api/helplines*", lambda route: route.abort())
    show_list(page)
    page.get_by_role("button", name="I need help now").click()
    expect(page.get_by_role("link", name="112")).to_be_visible()
    expect(page.get_by_role("link", name="findahelpline.com")).to_be_visible()
