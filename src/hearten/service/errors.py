"""Errors as people and programs get them: a code, and a sentence that says what to do."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from hearten.service.engine import QueueFull
from hearten.store.events import StoreError, StoreFull

SENTENCES = {
    400: "The request could not be read. Send valid JSON.",
    404: "There is nothing here, or it is not yours.",
    405: "This address does not take that method.",
    413: "The request is too long. Please send less at once.",
}


class ApiError(Exception):
    """An answer other than the one hoped for."""

    def __init__(self, status: int, code: str, message: str, retry_after: int | None = None) -> None:
        super().__init__(code)
        self.status, self.code, self.message, self.retry_after = status, code, message, retry_after


def not_found() -> ApiError:
    """Return the same answer for what does not exist and what belongs to somebody else."""
    return ApiError(404, "not_found", SENTENCES[404])


def response(error: ApiError) -> JSONResponse:
    """Write an error; the type is there for clients of the OpenAI protocol."""
    kind = "invalid_request_error" if error.status < 500 else "server_error"
    body: dict[str, Any] = {"error": {"code": error.code, "message": error.message, "type": kind, "param": None}}
    headers = {"Retry-After": str(error.retry_after)} if error.retry_after is not None else None
    return JSONResponse(body, error.status, headers)


def named(error: Exception) -> ApiError:
    """Return what the outside is told of an error."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, QueueFull):
        words = "Many people are writing just now. Please try again in a moment; your words are still here."
        return ApiError(503, "busy", words, error.seconds)
    if isinstance(error, StoreFull):
        words = "The server has no room left to keep what you write. Please tell whoever runs it."
        return ApiError(507, "storage_full", words)
    if isinstance(error, StoreError):
        return ApiError(503, "storage", "What you wrote could not be kept just now. Please try again in a moment.", 2)
    return ApiError(500, "internal", "Something went wrong on our side. Please try again in a moment.")


def install(app: FastAPI) -> None:
    """Make an app answer in this way to whatever it knows; the shield around it sees to the rest."""
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    for kind in (ApiError, QueueFull, StoreError):
        app.add_exception_handler(kind, _known)


async def _invalid(_request: Request, error: Exception) -> JSONResponse:
    """Name the field and what is wrong with it, never what was sent."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"][1:]) or "request"
    safe = field.encode("utf-8", "replace").decode()[:100]
    words = str(first["msg"]).removeprefix("Value error, ") if first["type"] != "json_invalid" else SENTENCES[400]
    return response(ApiError(422, "invalid", f"{safe}: {words}"))


async def _http(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    words = SENTENCES.get(error.status_code, "That did not work. Please check the request.")
    code = {404: "not_found", 405: "method", 413: "too_large"}.get(error.status_code, "refused")
    made = response(ApiError(error.status_code, code, words))
    made.headers.update(error.headers or {})
    return made


async def _known(_request: Request, error: Exception) -> JSONResponse:
    return response(named(error))
