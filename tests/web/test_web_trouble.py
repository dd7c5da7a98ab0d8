"""When things go wrong: no word is lost, none is sent twice, and the page says what happened in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fake_content import PIECES
from talking import expect, say, send, settled

if TYPE_CHECKING:
    from fake_api import FakeApi
    from playwright.sync_api import BrowserContext, Page

REPLY = "".join(PIECES)


def keys(fake: FakeApi) -> list[str]:
    return [body["key"] for body in fake.bodies("POST", "/turns")]


def turns(fake: FakeApi) -> list[str]:
    return [turn["text"] for one in fake.conversations.values() for turn in one["turns"]]


def test_a_refused_message_returns_into_the_box_and_is_sent_again_with_its_key(page: Page, fake: FakeApi) -> None:
    say(page, "Hello")
    fake.refusals = [500]
    send(page, "These words matter")
    expect(page.locator("#trouble")).to_contain_text("It failed.")
    expect(page.locator("#box")).to_have_value("These words matter")
    expect(page.locator(".turn.pending")).to_have_count(0)
    page.get_by_role("button", name="Try again").click()
    settled(page)
    expect(page.locator("#trouble")).to_be_empty()
    assert keys(fake)[1] == keys(fake)[2]
    assert turns(fake)[2:] == ["These words matter", REPLY]


def test_a_first_message_is_not_lost_when_the_conversation_cannot_begin(page: Page, fake: FakeApi) -> None:
    fake.refusals = [500]
    send(page, "The very first words")
    expect(page.locator("#trouble")).to_contain_text("It failed.")
    expect(page.locator("#box")).to_have_value("The very first words")
    page.get_by_role("button", name="Try again").click()
    settled(page)
    assert turns(fake) == ["The very first words", REPLY]


def test_changed_words_get_a_key_of_their_own(page: Page, fake: FakeApi) -> None:
    say(page, "Hello")
    fake.refusals = [422]
    send(page, "Wrong")
    expect(page.locator("#trouble")).to_contain_text("could not be read")
    say(page, "Right")
    assert keys(fake)[1] != keys(fake)[2]


def test_a_busy_server_is_asked_again_by_itself_with_the_same_key(page: Page, fake: FakeApi) -> None:
    say(page, "Hello")
    page.clock.install()
    fake.refusals = [503]
    send(page, "Is anybody there?")
    expect(page.locator("#note")).to_have_text("Many people are writing just now. Trying again in 2 s…")
    page.clock.run_for(2500)
    settled(page)
    assert keys(fake)[1] == keys(fake)[2]
    assert turns(fake)[2:] == ["Is anybody there?", REPLY]


def test_a_reply_that_broke_off_is_fetched_again_and_shown_once(page: Page, fake: FakeApi) -> None:
    say(page, "Hello")
    page.clock.install()
    fake.cuts = 1
    send(page, "Do not break")
    expect(page.locator("#note")).to_contain_text("The connection was lost before the reply was complete.")
    page.clock.run_for(1500)
    settled(page)
    expect(page.locator(".turn .words")).to_have_text(["Hello", REPLY, "Do not break", REPLY])
    assert keys(fake)[1] == keys(fake)[2]


def test_after_some_attempts_the_person_decides(page: Page, fake: FakeApi) -> None:
    say(page, "Hello")
    page.clock.install()
    fake.cuts = 4
    send(page, "Are you there?")
    for seconds in (1, 3, 8):
        expect(page.locator("#note")).to_contain_text(f"Trying again in {seconds} s")
        page.clock.run_for(seconds * 1000 + 500)
    expect(page.locator("#trouble")).to_contain_text("The connection was lost")
    expect(page.locator("#box")).to_have_value("")
    page.get_by_role("button", name="Try again").click()
    settled(page)
    expect(page.locator(".turn .words").last).to_have_text(REPLY)
    assert len(set(keys(fake)[1:])) == 1


def test_offline_the_words_wait_and_go_out_when_the_line_is_back(
    page: Page, fake: FakeApi, context: BrowserContext
) -> None:
    say(page, "Hello")
    context.set_offline(True)
    send(page, "From the tunnel")
    expect(page.locator("#note")).to_contain_text("You seem to be offline.")
    context.set_offline(False)
    settled(page)
    assert turns(fake)[2:] == ["From the tunnel", REPLY]


def test_what_is_typed_meanwhile_is_kept_as_well(page: Page, fake: FakeApi) -> None:
    say(page, "Hello")
    page.clock.install()
    fake.refusals = [503, 500]
    send(page, "First thought")
    expect(page.locator("#note")).to_contain_text("Trying again")
    page.locator("#box").fill("Second thought")
    page.clock.run_for(2500)
    expect(page.locator("#trouble")).to_contain_text("It failed.")
    expect(page.locator("#box")).to_have_value("First thought\nSecond thought")


def test_a_draft_survives_a_reload(page: Page) -> None:
    page.locator("#box").fill("Half a thou")
    page.reload()
    expect(page.locator("#box")).to_have_value("Half a thou")


def test_a_reload_in_the_middle_of_a_reply_resumes_it_without_a_second_turn(page: Page, fake: FakeApi) -> None:
    say(page, "Hello")
    fake.is_held = True
    send(page, "Wait for me")
    expect(page.locator(".turn.live")).to_contain_text(PIECES[0].strip())
    conversation = next(iter(fake.conversations.values()))
    reply = conversation["turns"].pop()
    page.reload()
    expect(page.locator(".turn.speaker .words").last).to_have_text("Wait for me")
    conversation["turns"].append(reply)
    fake.is_held = False
    settled(page)
    expect(page.locator(".turn .words")).to_have_text(["Hello", REPLY, "Wait for me", REPLY])
    assert keys(fake)[1] == keys(fake)[2]


def test_a_reload_before_the_server_had_the_message_keeps_it_in_the_box(page: Page, fake: FakeApi) -> None:
    say(page, "Hello")
    page.route("**/turns", lambda route: None)
    send(page, "Not there yet")
    expect(page.locator(".turn.pending")).to_be_visible()
    page.reload()
    expect(page.locator("#box")).to_have_value("Not there yet")
    page.unroute("**/turns")
    page.get_by_role("button", name="Send").click()
    settled(page)
    assert turns(fake)[2:] == ["Not there yet", REPLY]


def test_the_same_words_said_twice_are_not_taken_for_the_answered_ones(page: Page) -> None:
    say(page, "Yes")
    page.route("**/turns", lambda route: None)
    send(page, "Yes")
    expect(page.locator(".turn.pending")).to_be_visible()
    page.reload()
    expect(page.locator("#box")).to_have_value("Yes")


def test_a_message_that_nobody_answered_can_be_answered_later(page: Page, fake: FakeApi) -> None:
    say(page, "Hello")
    next(iter(fake.conversations.values()))["turns"].pop()
    page.reload()
    expect(page.locator("#trouble")).to_contain_text("Your last message has no reply yet.")
    page.get_by_role("button", name="Answer now").click()
    settled(page)
    expect(page.locator(".turn.listener .words")).to_have_text(["I hear you. I am glad you told me."])


def test_going_elsewhere_does_not_carry_words_into_another_conversation(page: Page, fake: FakeApi, size: str) -> None:
    if size == "phone":
        pytest.skip("the same code; the list is only a drawer there")
    say(page, "The calm one")
    page.get_by_role("button", name="New conversation", exact=True).click()
    fake.is_held = True
    send(page, "The slow one")
    expect(page.locator(".turn.live")).to_contain_text(PIECES[0].strip())
    page.locator(".conversation", has_text="The calm one").click()
    expect(page.locator(".turn .words")).to_have_text(["The calm one", REPLY])
    expect(page.locator("#box")).to_have_value("")
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    fake.is_held = False
    page.locator(".conversation", has_text="The slow one").click()
    settled(page)
    expect(page.locator(".turn .words")).to_have_text(["The slow one", REPLY])
    assert turns(fake).count("The slow one") == 1


def test_a_message_that_is_too_long_is_not_cut_but_named(page: Page, fake: FakeApi) -> None:
    page.locator("#box").fill("🙂" * 1990)
    expect(page.locator("#counter")).to_have_text("10 characters left")
    page.locator("#box").fill("x" * 2003)
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#trouble")).to_contain_text("3 characters longer")
    assert fake.bodies("POST", "/turns") == []
