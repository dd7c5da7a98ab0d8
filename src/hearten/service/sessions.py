"""Who is who, without accounts: an anonymous id in a signed cookie."""

import hashlib
import hmac
import os
import secrets
from base64 import urlsafe_b64encode
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from hearten.errors import UserError
from hearten.service.errors import ApiError
from hearten.store.events import new_id

COOKIE = "hearten_visitor"
YEAR = 365 * 24 * 3600


class Sessions:
    """Makes and checks cookies."""

    def __init__(self, secret: bytes, is_secure: bool) -> None:
        self._secret, self._is_secure = secret, is_secure

    def visitor(self, request: Request) -> str | None:
        """Return the visitor that a request comes from; a cookie that we did not sign counts as none."""
        name, _, signature = request.cookies.get(COOKIE, "").partition(".")
        is_ours = hmac.compare_digest(signature.encode("utf-8", "replace"), self._sign(name).encode())
        return name if name and is_ours else None

    def require(self, request: Request) -> str:
        """Return the visitor, or ask for a session first."""
        visitor = self.visitor(request)
        if visitor is None:
            raise ApiError(
                401, "no_session", "Your session is not known here. Please reload the page (GET /api/session)."
            )
        return visitor

    def welcome(self, response: Response) -> str:
        """Give a new visitor a cookie."""
        visitor = new_id()
        response.set_cookie(
            COOKIE,
            f"{visitor}.{self._sign(visitor)}",
            max_age=YEAR,
            httponly=True,
            samesite="lax",
            secure=self._is_secure,
        )
        return visitor

    def farewell(self, response: Response) -> None:
        """Take the cookie away."""
        response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=self._is_secure)

    def _sign(self, name: str) -> str:
        digest = hmac.digest(self._secret, name.encode("utf-8", "replace"), hashlib.sha256)
        return urlsafe_b64encode(digest).decode().rstrip("=")


def secret_of(folder: Path) -> bytes:
    """Read the secret that signs cookies, or make one that only this user can read."""
    place = folder.expanduser() / "cookie-secret"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            file = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return _checked(place)
        with os.fdopen(file, "wb") as out:
            out.write(secrets.token_bytes(32))
        return _checked(place)
    except OSError as error:
        raise UserError(f"{place} cannot be used ({error.strerror}); name another --data-folder") from None


def _checked(place: Path) -> bytes:
    secret = place.read_bytes()
    if len(secret) < 32:
        raise UserError(f"{place} is too short to be a secret; delete it (visitors then start anew)")
    return secret


class Operator:
    """Checks the token of whoever reviews."""

    def __init__(self, token: str) -> None:
        self._digest = hashlib.sha256(token.encode()).digest()

    def require(self, request: Request) -> None:
        """Let the operator pass, nobody else."""
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        digest = hashlib.sha256(given.strip().encode("utf-8", "replace")).digest()
        if scheme.casefold() != "bearer" or not hmac.compare_digest(digest, self._digest):
            raise ApiError(401, "token", "That token was not accepted. It is printed when the server starts.")


def operator_token(file: Path | None) -> tuple[str, bool]:
    """Return the operator's token, and whether it was just made up."""
    if file is None:
        return secrets.token_urlsafe(24), True
    try:
        token = file.expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise UserError(f"the review token file {file} cannot be read") from None
    if len(token) < 16:
        raise UserError(f"the token in {file} is too short; use at least 16 characters")
    return token, False
