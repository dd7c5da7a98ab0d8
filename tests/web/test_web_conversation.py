"""Talking: the reply, and everything that can be done with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from fake_content import PIECES
from talking import expect, say, send, settled, show_list

if TYPE_CHECKING:
    from fake_api import FakeApi
    from playwright.sync_api import Page, Route

REPLY = "".join(PIECES)


def test_a_message_is_answered_and_announced_as_a_whole(page: Page, fake: FakeApi) -> None:
    fake.is_held = True
    send(page, "My exam is on Friday")
    live = page.locator(".turn.live")
    expect(live).to_contain_text(PIECES[0].strip())
    expect(live).to_have_attribute("aria-busy", "true")
    expect(page.locator("#announcer")).to_be_empty()
    fake.is_held = False
    expect(page.locator("#announcer")).to_have_text(f"Hearten says: {REPLY}")
    expect(page.locator(".turn.listener .words")).to_have_text([REPLY])
    expect(page.locator("#title")).to_have_text("My exam is on Friday")
    assert fake.bodies("POST", "/turns")[0]["country"] == "GB"


def test_a_reply_can_be_stopped_and_what_is_there_stays(page: Page, fake: FakeApi) -> None:
    fake.is_held = True
    send(page, "Tell me everything")
    expect(page.locator(".turn.live")).to_contain_text(PIECES[0].strip())
    page.get_by_role("button", name="Stop", exact=True).click()
    settled(page)
    expect(page.locator(".turn.listener .words")).to_have_text([PIECES[0]])
    expect(page.locator(".turn.listener")).to_contain_text("Stopped here.")
    expect(page.locator("#box")).to_be_focused()


def test_a_reply_that_was_stopped_before_it_began_can_be_asked_for_again(page: Page, fake: FakeApi) -> None:
    fake.is_silent = True
    send(page, "Too early")
    expect(page.locator(".turn.speaker:not(.pending)")).to_be_visible()
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator("#trouble")).to_contain_text("Stopped before there was a reply.")
    fake.is_silent = False
    page.get_by_role("button", name="Answer now").click()
    settled(page)
    expect(page.locator(".turn .words")).to_have_text(["Too early", "I hear you. I am glad you told me."])


def test_another_reply_replaces_the_last_one(page: Page, fake: FakeApi) -> None:
    say(page, "Hello")
    page.get_by_role("button", name="Answer again").click()
    expect(page.locator(".turn.listener .words")).to_have_text(["I hear you. I am glad you told me."])
    assert len(fake.bodies("POST", "/regenerate")) == 1
    say(page, "And then?")
    expect(page.get_by_role("button", name="Answer again")).to_have_count(1)


def test_a_reply_is_copied(page: Page) -> None:
    say(page, "Hello")
    page.get_by_role("button", name="Copy this reply").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == REPLY


def test_thumbs_are_pressed_changed_and_taken_back(page: Page, fake: FakeApi) -> None:
    say(page, "Hello")
    up = page.get_by_role("button", name="This helped")
    down = page.get_by_role("button", name="This did not help")
    for button, other, value in ((up, down, "true"), (down, up, "true"), (down, up, "false")):
        button.click()
        expect(button).to_have_attribute("aria-pressed", value)
        expect(other).to_have_attribute("aria-pressed", "false")
    assert [body["value"] for body in fake.bodies("POST", "/rating")] == [1, -1, 0]


def test_a_reply_is_edited_into_what_it_should_have_said(page: Page, fake: FakeApi) -> None:
    say(page, "Hello")
    page.get_by_role("button", name="Write what it should have said").click()
    box = page.get_by_label("A better reply")
    expect(box).to_have_value(REPLY)
    expect(box).to_be_focused()
    box.fill("Hello, and how are you?")
    page.get_by_role("button", name="Keep my version").click()
    expect(page.locator(".turn.listener blockquote")).to_have_text("Hello, and how are you?")
    assert fake.bodies("POST", "/edit") == [{"text": "Hello, and how are you?"}]


def test_an_edit_that_could_not_be_kept_stays_in_its_box(page: Page, fake: FakeApi) -> None:
    say(page, "Hello")
    page.get_by_role("button", name="Write what it should have said").click()
    page.get_by_label("A better reply").fill("Better")
    fake.refusals = [500]
    page.get_by_role("button", name="Keep my version").click()
    expect(page.locator("#edit-dialog .form-error")).to_have_text("It failed.")
    expect(page.get_by_label("A better reply")).to_have_value("Better")
    page.locator("#edit-dialog").get_by_role("button", name="Cancel").click()
    expect(page.locator("#edit-dialog")).to_be_hidden()


def test_a_reply_is_reported_with_a_reason_and_a_note(page: Page, fake: FakeApi) -> None:
    say(page, "Hello")
    page.get_by_role("button", name="Report this reply").click()
    dialog = page.locator("#report-dialog")
    expect(dialog.locator("blockquote")).to_have_text(REPLY)
    dialog.get_by_role("button", name="Report").click()
    expect(dialog).to_be_visible()
    assert fake.bodies("POST", "/report") == []
    dialog.get_by_label("It hurt me").check()
    dialog.get_by_label("Would you like to say more?").fill("It sounds cold.")
    dialog.get_by_role("button", name="Report").click()
    expect(page.locator(".turn.listener")).to_contain_text("You reported this reply")
    assert fake.bodies("POST", "/report") == [{"reason": "hurtful", "note": "It sounds cold."}]


def test_the_read_emotion_is_unfolded_with_bars_and_underlined_words(page: Page) -> None:
    say(page, "🙂 I feel alone today")
    toggle = page.get_by_role("button", name="sounds lonely")
    expect(page.locator(".bars")).to_be_hidden()
    toggle.click()
    expect(page.locator(".bars li")).to_have_text(["lonely62%", "sad17%", "hopeful8%"])
    expect(page.locator("mark")).to_have_text(["alone"])
    toggle.click()
    expect(page.locator("mark")).to_have_count(0)


def test_a_reading_is_corrected(page: Page, fake: FakeApi) -> None:
    say(page, "I feel alone today")
    page.get_by_role("button", name="sounds lonely").click()
    page.get_by_label("More like").select_option("Nostalgic")
    expect(page.locator(".gloss")).to_have_text("Nostalgic: remembers a dear past.")
    page.get_by_role("button", name="Correct").click()
    expect(page.get_by_role("button", name="you said: nostalgic")).to_be_focused()
    assert fake.bodies("POST", "/emotion") == [{"emotion": "nostalgic"}]


def test_an_unsure_reading_says_so(page: Page) -> None:
    say(page, "Hm")
    page.get_by_role("button", name="perhaps content").click()
    expect(page.locator(".feeling-panel")).to_contain_text("I am not sure: the message is short.")


def test_the_way_of_answering_is_chosen_in_human_words(page: Page, fake: FakeApi) -> None:
    say(page, "First as it comes")
    page.get_by_text("Answer:").click()
    page.get_by_role("radio", name="Just listen").click()
    expect(page.locator("#intent-chosen")).to_have_text("Just listen")
    expect(page.locator("#intents")).to_be_hidden()
    say(page, "Then like this")
    assert [body.get("intent") for body in fake.bodies("POST", "/turns")] == [None, "acknowledging"]


def test_a_reply_says_what_it_meant_and_what_else_it_thought_of(page: Page) -> None:
    say(page, "Hello")
    page.get_by_text("Why this reply?").click()
    expect(page.locator(".reasons")).to_contain_text("Meant as: Ask me.")
    expect(page.locator(".reasons li")).to_have_text(["I am sorry to hear that."])


def test_the_trajectory_is_drawn_with_a_point_for_each_message(page: Page) -> None:
    for text in ("My exam is near", "I feel alone", "I was promoted"):
        say(page, text)
    page.get_by_role("button", name="How it felt").click()
    plot = page.get_by_role("img", name="How it felt over 3 messages, from anxious to proud")
    expect(plot.locator("circle")).to_have_count(3)
    heights = plot.locator("circle").evaluate_all("all => all.map((one) => Number(one.getAttribute('cy')))")
    assert heights[2] < heights[0] < heights[1]
    page.get_by_text("As a table").click()
    expect(page.locator("#trajectory-dialog tbody tr")).to_have_count(3)
    page.locator("#trajectory-dialog").get_by_role("button", name="Close", exact=True).click()
    expect(page.get_by_role("button", name="How it felt")).to_be_focused()


@pytest.mark.parametrize(("choice", "ending"), [("Export as JSON", "json"), ("Export as Markdown", "md")])
def test_a_conversation_is_exported(page: Page, choice: str, ending: str) -> None:
    say(page, "Keep this")
    page.get_by_role("button", name="More about this conversation").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name=choice).click()
    assert waiting.value.suggested_filename == f"Keep-this.{ending}"
    text = waiting.value.path().read_text(encoding="utf-8")
    assert (json.loads(text)["turns"][0]["text"] if ending == "json" else text.split("\n")[0]).endswith("Keep this")


def test_an_export_is_named_by_the_server_also_where_the_list_is_late(page: Page) -> None:
    def say_nothing(route: Route) -> None:
        route.fulfill(json=[]) if route.request.method == "GET" else route.fallback()

    page.route("**/api/conversations", say_nothing)
    say(page, "Keep this…")
    page.get_by_role("button", name="More about this conversation").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Export as JSON").click()
    assert waiting.value.suggested_filename == "Keep-this.json"


def test_a_list_that_comes_late_does_not_undo_a_newer_one(page: Page) -> None:
    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        route.fallback() if held or route.request.method != "GET" else held.append(route)

    page.route("**/api/conversations", hold_the_first)
    say(page, "Keep this")
    expect(page.locator("#title")).to_have_text("Keep this")
    with page.expect_event("requestfinished", lambda request: request == held[0].request):
        held[0].fulfill(json=[])
    page.evaluate("() => new Promise((done) => setTimeout(done, 50))")
    assert page.locator("#conversations .title").all_text_contents() == ["Keep this"]


def test_conversations_are_listed_opened_renamed_and_deleted(page: Page, fake: FakeApi) -> None:
    say(page, "The first one")
    show_list(page)
    page.get_by_role("button", name="New conversation", exact=True).click()
    expect(page.locator("#greeting")).to_be_visible()
    expect(page.locator("#box")).to_be_focused()
    say(page, "The second one")
    show_list(page)
    titles = page.locator("#conversations .title")
    expect(titles).to_have_text(["The second one", "The first one"])
    page.get_by_role("button", name="More about “The first one”").click()
    page.get_by_role("button", name="Rename").click()
    page.get_by_label("Name", exact=True).fill("Before")
    page.locator("#rename-dialog").get_by_role("button", name="Rename").click()
    expect(titles).to_have_text(["The second one", "Before"])
    page.locator(".conversation", has_text="Before").click()
    expect(page.locator(".turn.speaker .words")).to_have_text("The first one")
    expect(page.locator("#title")).to_have_text("Before")
    page.get_by_role("button", name="More about this conversation").click()
    page.get_by_role("button", name="Delete").click()
    page.locator("#confirm-dialog").get_by_role("button", name="Delete").click()
    expect(page.locator("#greeting")).to_be_visible()
    assert [one["title"] for one in fake.conversations.values()] == ["The second one"]


def test_a_conversation_is_there_again_after_a_reload_and_by_going_back(page: Page) -> None:
    say(page, "Stay with me")
    page.reload()
    expect(page.locator(".turn .words")).to_have_text(["Stay with me", REPLY])
    page.goto(page.url.split("#")[0] + "#/c/unknown")
    expect(page.get_by_text("no longer here")).to_be_visible()
    expect(page.locator("#greeting")).to_be_visible()


def test_everything_is_within_reach_of_the_keyboard(page: Page, fake: FakeApi) -> None:
    page.locator("#box").press_sequentially("One line")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two lines")
    page.keyboard.press("Enter")
    settled(page)
    assert fake.bodies("POST", "/turns")[0]["text"] == "One line\ntwo lines"
    fake.is_held = True
    page.keyboard.type("Again")
    page.keyboard.press("Enter")
    expect(page.locator(".turn.live")).to_contain_text(PIECES[0].strip())
    page.keyboard.press("Escape")
    settled(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#intent-chosen")).to_have_text("Ask me")
    page.keyboard.press("Escape")
    expect(page.locator("#intent summary")).to_be_focused()
    expect(page.locator("#intents")).to_be_hidden()
