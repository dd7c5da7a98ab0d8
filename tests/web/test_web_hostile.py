"""Words of people are only ever words: nothing that they write runs, on any page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fake_content import TOKEN
from talking import expect, say, show_list

if TYPE_CHECKING:
    from fake_api import FakeApi
    from playwright.sync_api import BrowserContext, Page

ELEMENTS = ("script", "img src=x", "svg", "iframe src=javascript:alert(1)", "body", "details open", "video")
ELEMENTS += ("audio src=x", "input autofocus", "object data=x", "embed src=x", "marquee", "form action=x", "style")
HANDLERS = ("onerror", "onload", "onfocus", "onmouseover", "ontoggle", "onstart", "onanimationstart")
PAYLOADS = [f"<{element} {handler}=alert(1)>" for element in ELEMENTS for handler in HANDLERS]
PAYLOADS += [f'"><{element}>alert(1)</{element}>' for element in ("script", "svg/onload=alert(1)", "math", "style")]
PAYLOADS += [
    "</textarea><script>alert(1)</script>",
    "javascript:alert(1)",
    "{{constructor.constructor('alert(1)')()}}",
    "${alert(1)}",
    "<a href='javascript:alert(1)'>x</a>",
    "[x](javascript:alert(1))",
    "<!--<img src=x onerror=alert(1)>-->",
    "\u202e<b>turned</b>\u202c",
]
EVERYTHING = "\n".join(PAYLOADS)
MADE = "script, img, iframe, video, audio, object, embed, marquee, style, math, b"


@pytest.fixture
def watched(context: BrowserContext, size: str) -> list[str]:
    if size == "phone":
        pytest.skip("the same code at any width")
    happened: list[str] = []
    context.on("dialog", lambda dialog: (happened.append(dialog.message), dialog.dismiss()))
    return happened


def test_no_payload_runs_in_a_conversation(watched: list[str], page: Page, fake: FakeApi) -> None:
    assert len(PAYLOADS) >= 100
    fake.replies = [EVERYTHING]
    say(page, EVERYTHING[:1900])
    said, reply = next(iter(fake.conversations.values()))["turns"]
    said["text"] = reply["edited"] = EVERYTHING
    reply |= {"plan": EVERYTHING, "alternatives": [{"text": EVERYTHING}]}
    page.reload()
    expect(page.locator(".turn")).to_have_count(2)
    assert page.locator(".turn > .words").all_text_contents() == [EVERYTHING, EVERYTHING]
    page.get_by_role("button", name="perhaps content").click()
    page.get_by_role("button", name="Write what it should have said").click()
    expect(page.get_by_label("A better reply")).to_have_value(EVERYTHING)
    page.get_by_label("A better reply").fill(EVERYTHING[:3900])
    page.get_by_role("button", name="Keep my version").click()
    page.get_by_role("button", name="Report this reply").click()
    expect(page.locator("#report-quote")).to_contain_text(PAYLOADS[0])
    assert page.locator(f":is(.turn, dialog blockquote) :is({MADE})").count() == 0
    assert watched == []


def test_no_payload_runs_as_a_title_or_a_helpline(watched: list[str], page: Page, fake: FakeApi) -> None:
    say(page, "I want to die")
    conversation = next(iter(fake.conversations.values()))
    conversation["title"] = PAYLOADS[4]
    line = {"name": PAYLOADS[0], "number": "javascript:alert(1)", "about": PAYLOADS[8]}
    conversation["turns"][1]["crisis"]["helplines"] = [line]
    page.reload()
    show_list(page)
    expect(page.locator("#conversations .title")).to_have_text(PAYLOADS[4])
    expect(page.locator(".helplines a")).to_have_attribute("href", "tel:1")
    assert watched == []


def test_no_payload_runs_on_the_review_page(
    watched: list[str], context: BrowserContext, address: str, fake: FakeApi
) -> None:
    for item in fake.review:
        item |= {
            "text": EVERYTHING,
            "note": EVERYTHING,
            "edit": EVERYTHING,
            "reason": PAYLOADS[0],
            "model": PAYLOADS[4],
        }
        item["context"] = [{"role": "speaker", "text": EVERYTHING}]
    page = context.new_page()
    page.goto(f"{address}/review")
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.locator(".item")).to_have_count(3)
    assert page.locator(f".item :is({MADE})").count() == 0
    assert watched == []
