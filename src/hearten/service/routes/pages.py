"""The pages: plain files that come with the package."""

from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse
from starlette.staticfiles import StaticFiles

from hearten.service.errors import not_found

router = APIRouter(include_in_schema=False)
WEB = Path(str(files("hearten"))) / "web"


@router.get("/")
async def chat() -> FileResponse:
    """The page to talk on."""
    return _page("index.html")


@router.get("/review")
async def review() -> FileResponse:
    """The operator's page; it shows nothing without the token."""
    return _page("review.html")


def _page(name: str) -> FileResponse:
    if not (WEB / name).is_file():
        raise not_found()
    return FileResponse(WEB / name, headers={"Cache-Control": "no-cache"})


class Static(StaticFiles):
    """The parts of the pages; browsers ask each time whether they have changed."""

    def file_response(self, *args: object, **kwargs: object) -> object:  # type: ignore[override]
        """Add the header for it."""
        made = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        made.headers.setdefault("Cache-Control", "no-cache")
        return made
