"""The review page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from fake_content import TOKEN
from talking import expect

if TYPE_CHECKING:
    from fake_api import FakeApi
    from playwright.sync_api import BrowserContext, Page


@pytest.fixture
def entry(context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.goto(f"{address}/review")
    return page


@pytest.fixture
def queue(entry: Page) -> Page:
    entry.get_by_label("Token").fill(TOKEN)
    entry.get_by_role("button", name="Open the queue").click()
    expect(entry.locator(".item")).to_have_count(3)
    expect(entry.locator("#sign-in")).to_be_hidden()
    return entry


def test_a_wrong_token_is_refused_and_not_kept(entry: Page) -> None:
    entry.get_by_label("Token").fill("wrong")
    entry.keyboard.press("Enter")
    expect(entry.get_by_role("alert")).to_have_text("That token was not accepted.")
    expect(entry.locator("#queue")).to_be_hidden()
    assert entry.evaluate("sessionStorage.length") == 0


def test_the_token_stays_in_the_tab_and_out_of_every_address(queue: Page) -> None:
    asked: list[str] = []
    queue.on("request", lambda request: asked.append(request.url))
    queue.reload()
    expect(queue.locator(".item")).to_have_count(3)
    assert asked and not any(TOKEN in address for address in asked)
    assert queue.evaluate("localStorage.length") == 0
    queue.get_by_role("button", name="Sign out").click()
    expect(queue.get_by_label("Token")).to_be_focused()
    queue.reload()
    expect(queue.locator(".item")).to_have_count(0)


def test_items_are_shown_with_what_was_said(queue: Page) -> None:
    report, edit, emotion = queue.locator(".item").all()
    for words in ("Report: hurtful", "I feel so alone in the evenings.", "Just go out more.", "It felt dismissive."):
        expect(report).to_contain_text(words)
    expect(edit.locator(".proposed")).to_have_text("That sounds lonely. What did you two use to do?")
    expect(emotion).to_contain_text("Read as sad, but the person says lonely.")


def test_an_item_is_accepted_with_tags(queue: Page, fake: FakeApi) -> None:
    item = queue.locator(".item").first
    item.get_by_label("Tags, with commas").fill("cold, too short,")
    item.get_by_role("button", name="Accept").click()
    expect(queue.locator(".item")).to_have_count(2)
    expect(queue.locator(".item").first).to_be_focused()
    assert fake.bodies("POST", "/r1") == [{"decision": "accept", "tags": ["cold", "too short"]}]


def test_an_item_is_amended_in_a_box_that_begins_with_the_proposal(queue: Page, fake: FakeApi) -> None:
    item = queue.locator(".item").nth(1)
    item.get_by_role("button", name="Amend").click()
    box = item.get_by_label("A better reply")
    expect(box).to_have_value("That sounds lonely. What did you two use to do?")
    box.fill("That sounds lonely.")
    item.get_by_role("button", name="Amend").click()
    expect(queue.locator(".item")).to_have_count(2)
    assert fake.bodies("POST", "/e1") == [{"decision": "amend", "text": "That sounds lonely.", "tags": []}]


def test_an_emotion_is_amended_by_choosing_another_of_those_in_use(queue: Page, fake: FakeApi) -> None:
    item = queue.locator(".item").nth(2)
    item.get_by_role("button", name="Amend").click()
    item.get_by_label("The right emotion").select_option("Nostalgic")
    item.get_by_role("button", name="Amend").click()
    expect(queue.locator(".item")).to_have_count(2)
    assert fake.bodies("POST", "/m1") == [{"decision": "amend", "text": "nostalgic", "tags": []}]


def test_an_item_is_rejected_and_a_failure_is_named(queue: Page, fake: FakeApi) -> None:
    item = queue.locator(".item").nth(2)
    fake.refusals = [500]
    item.get_by_role("button", name="Reject").click()
    expect(item.get_by_role("alert")).to_have_text("It failed.")
    item.get_by_role("button", name="Reject").click()
    expect(queue.locator(".item")).to_have_count(2)
    queue.locator("#state").select_option("rejected")
    expect(queue.locator(".item")).to_have_count(1)


def test_the_queue_is_filtered_and_reloaded(queue: Page, fake: FakeApi) -> None:
    queue.get_by_label("Kind").select_option("edits")
    expect(queue.locator(".item h3")).to_have_text(["Edit"])
    queue.get_by_label("Kind").select_option("all")
    queue.locator("#state").select_option("accepted")
    expect(queue.locator(".tag")).to_have_text(["too short"])
    fake.review.clear()
    queue.get_by_role("button", name="Reload").click()
    expect(queue.locator("#queue-note")).to_have_text("Nothing here. Well done.")


def test_counts_are_drawn_and_everything_is_exported(queue: Page) -> None:
    expect(queue.get_by_role("img", name="Between 2026-03-01 and 2026-03-05")).to_be_visible()
    queue.get_by_text("As a table").click()
    expect(queue.locator("#counts tbody tr")).to_have_text(
        ["2026-03-01210", "2026-03-02124", "2026-03-03321", "2026-03-04052", "2026-03-05432"]
    )
    with queue.expect_download() as waiting:
        queue.get_by_role("button", name="Download").click()
    lines = waiting.value.path().read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["r1", "e1", "m1", "d1"]
