"""For those who watch the server: is it alive, can it answer, how is it doing."""

from fastapi import APIRouter, Response

from hearten.service.context import The

router = APIRouter(tags=["health"])


@router.get("/livez")
async def alive() -> dict[str, str]:
    """Say that the server runs."""
    return {"status": "alive"}


@router.get("/readyz", responses={503: {"description": "Not ready, or about to stop."}})
async def ready(response: Response, service: The) -> dict[str, object]:
    """Say whether people can be answered now."""
    is_ready = service.engine.is_ready and not service.is_draining
    response.status_code = 200 if is_ready else 503
    load = service.engine.load
    return {"ready": is_ready, "workers": load.workers, "busy": load.busy, "waiting": load.waiting}


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(service: The) -> Response:
    """Give counters and times to Prometheus."""
    return Response(service.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
