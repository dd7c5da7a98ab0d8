"""Who may see and change what, and what every answer carries."""

import json
import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi import FastAPI
from service_toys import Person, ToyEngine
from starlette.requests import Request
from starlette.responses import Response
from starlette.testclient import TestClient

from hearten.errors import UserError
from hearten.service.limits import RateLimit
from hearten.service.sessions import COOKIE, Sessions, operator_token, secret_of
from hearten.service.shield import LARGEST

SECRET = "nobody may ever read this sentence in a log"


def test_a_new_visitor_gets_a_cookie_that_scripts_cannot_read(app: FastAPI) -> None:
    with TestClient(app) as client:
        response = client.get("/api/session")
        cookie = response.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Secure" not in cookie
        assert "set-cookie" not in client.get("/api/session").headers, "it stays the same"


def test_the_session_says_all_that_a_page_needs(ann: Person) -> None:
    told = ann.client.get("/api/session").json()
    assert told["visitor"] is False and told["consent"] == {"research": False, "at": None}
    assert [one["default"] for one in told["systems"]] == [True, False]
    assert len(told["intents"]) == 8 and len(told["emotions"]) == 32 and "NL" in told["countries"]
    assert told["limits"]["text"] == 4000


def test_a_forged_cookie_counts_as_none(ann: Person) -> None:
    visitor, _, signature = ann.client.cookies[COOKIE].partition(".")
    for forged in (visitor, f"{visitor}.", f"other.{signature}", f"{visitor}.{signature[:-1]}", "."):
        ann.client.cookies.clear()
        ann.client.cookies.set(COOKIE, forged)
        assert ann.client.get("/api/conversations").status_code == 401


def test_a_secret_of_another_server_does_not_sign_for_this_one() -> None:
    response = Response()
    Sessions(b"a" * 32, is_secure=True).welcome(response)
    cookie = response.headers["set-cookie"].partition(";")[0]
    scope = {"type": "http", "headers": [(b"cookie", cookie.encode())]}
    assert Sessions(b"a" * 32, is_secure=True).visitor(Request(scope)) is not None
    assert Sessions(b"b" * 32, is_secure=True).visitor(Request(scope)) is None
    assert "Secure" in response.headers["set-cookie"]


def test_the_secret_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    first = secret_of(tmp_path)
    assert secret_of(tmp_path) == first and len(first) == 32
    assert (tmp_path / "cookie-secret").stat().st_mode & 0o777 == 0o600
    (tmp_path / "cookie-secret").write_bytes(b"short")
    with pytest.raises(UserError, match="too short"):
        secret_of(tmp_path)


def test_everything_of_somebody_else_is_not_found(arrive: Callable[[], Person]) -> None:
    ann, bob = arrive(), arrive()
    talk = ann.begin()
    events = dict(ann.say(talk, "private"))
    mine, reply = events["turn"]["turn"]["id"], events["reply"]["turn"]["id"]
    tries = [
        ("GET", f"/api/conversations/{talk}", None),
        ("PATCH", f"/api/conversations/{talk}", {"title": "x"}),
        ("DELETE", f"/api/conversations/{talk}", None),
        ("POST", f"/api/conversations/{talk}/turns", {"text": "x", "key": "k2"}),
        ("POST", f"/api/conversations/{talk}/regenerate", {"key": "k2"}),
        ("GET", f"/api/conversations/{talk}/export", None),
        ("GET", f"/api/conversations/{talk}/trajectory", None),
        ("POST", f"/api/turns/{mine}/stop", None),
        ("POST", f"/api/turns/{mine}/emotion", {"emotion": "sad"}),
        ("POST", f"/api/turns/{reply}/report", {"reason": "other"}),
        ("POST", f"/api/turns/{reply}/edit", {"text": "x"}),
        ("POST", f"/api/turns/{reply}/rating", {"value": 1}),
    ]
    for method, path, body in tries:
        response = bob.client.request(method, path, json=body)
        assert response.status_code == 404, (method, path, response.text)
        assert response.json()["error"]["code"] == "not_found"
    assert len(ann.turns(talk)) == 2


def test_forgetting_me_deletes_everything_and_the_next_session_is_somebody_new(ann: Person) -> None:
    talk = ann.begin()
    ann.say(talk, "hello")
    before = ann.client.cookies[COOKIE]
    assert ann.client.delete("/api/me").status_code == 204
    assert COOKIE not in ann.client.cookies
    ann.client.get("/api/session")
    assert ann.client.cookies[COOKIE] != before
    assert ann.client.get("/api/conversations").json() == []
    ann.client.cookies.clear()
    ann.client.cookies.set(COOKIE, before)
    assert ann.client.get(f"/api/conversations/{talk}").status_code == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_other_web_pages_cannot_act_for_a_visitor(ann: Person, headers: dict[str, str]) -> None:
    response = ann.client.post("/api/conversations", json={}, headers=headers)
    assert response.status_code == 403 and response.json()["error"]["code"] == "origin"
    own = {"Origin": "http://testserver", "Sec-Fetch-Site": "same-origin"}
    assert ann.client.post("/api/conversations", json={}, headers=own).status_code == 201


def test_a_server_is_known_by_its_own_names_only(ann: Person) -> None:
    response = ann.client.get("/api/conversations", headers={"Host": "rebound.example"})
    assert response.status_code == 400 and response.json()["error"]["code"] == "host"


@pytest.mark.parametrize("path", ["/", "/review", "/api/session", "/nothing", "/static/app.js", "/api/review/queue"])
def test_every_answer_carries_the_policy(ann: Person, path: str) -> None:
    headers = ann.client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"]
)
def test_paths_do_not_lead_out_of_the_pages(ann: Person, path: str) -> None:
    assert ann.client.get(path).status_code == 404


def test_what_is_too_large_is_refused_whether_it_says_so_or_not(ann: Person) -> None:
    headers = {"Content-Type": "application/json"}
    body = json.dumps({"title": "x" * LARGEST}).encode()
    assert ann.client.post("/api/conversations", content=body, headers=headers).status_code == 413
    pieces = (body[start : start + 65536] for start in range(0, len(body), 65536))
    assert ann.client.post("/api/conversations", content=pieces, headers=headers).status_code == 413


@pytest.mark.parametrize("body", [b"{", b"[" * 100_000, b'"\xff"', b"", b"null", b"[1]"])
def test_malformed_bodies_are_refused(ann: Person, body: bytes) -> None:
    response = ann.client.post("/api/conversations", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code in (400, 422)
    assert response.json()["error"]["message"]


def test_too_many_messages_are_told_to_wait(ann: Person) -> None:
    talk = ann.begin()
    statuses = []
    for number in range(15):
        body = {"text": "hello", "key": f"k{number}"}
        response = ann.client.post(f"/api/conversations/{talk}/turns", json=body)
        statuses.append(response.status_code)
    assert statuses[0] == 200 and statuses[-1] == 429
    assert int(response.headers["Retry-After"]) >= 1


def test_a_bucket_fills_again_with_time() -> None:
    now = [0.0]
    limit = RateLimit(60, lambda: now[0])
    for _ in range(15):
        limit.take("ann")
    with pytest.raises(Exception, match="too_fast"):
        limit.take("ann")
    limit.take("bob")
    now[0] += 1.0
    limit.take("ann")


def test_nothing_that_people_write_reaches_the_log(
    ann: Person, engine: ToyEngine, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    talk = ann.begin()
    ann.say(talk, SECRET)
    ann.client.post(f"/api/conversations/{talk}/turns", json={"text": SECRET, "key": SECRET})

    def broken(*_: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(engine, "require_room", broken)
    response = ann.client.post(f"/api/conversations/{talk}/turns", json={"text": SECRET, "key": "k9"})
    assert response.status_code == 500 and SECRET not in response.text
    ours = [record for record in caplog.records if record.name.startswith("hearten")]
    assert any("RuntimeError" in record.getMessage() for record in ours)
    visitor = ann.client.cookies[COOKIE]
    for record in ours:
        shown = record.getMessage() + str(record.exc_info)
        assert SECRET not in shown and talk not in shown and visitor not in shown


def test_the_operators_token_comes_from_a_file_or_is_made_up(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("a-token-of-good-length\n")
    assert operator_token(file) == ("a-token-of-good-length", False)
    made, is_new = operator_token(None)
    assert is_new and len(made) >= 32 and operator_token(None)[0] != made
    file.write_text("short")
    with pytest.raises(UserError, match="too short"):
        operator_token(file)
    with pytest.raises(UserError, match="cannot be read"):
        operator_token(tmp_path / "missing")
