"""Where replies come from: worker processes, this process, or another server."""

from importlib import import_module

from hearten.service.engine import Engine
from hearten.service.settings import ServiceSettings


def make_engine(settings: ServiceSettings) -> Engine:
    """Make the engine that the settings name."""
    made: Engine = import_module(f"hearten.service.engines.{settings.engine}").make(settings)
    return made
