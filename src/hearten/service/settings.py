"""What may be set of the service: on the command line, in the environment (`HEARTEN_PORT`), or in a TOML file."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import Field, field_validator

from hearten.config import Settings, validate
from hearten.errors import UserError

PREFIX = "HEARTEN_"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class ServiceSettings(Settings):
    """Everything has a default that suits one machine and the people around it."""

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    """0 takes any free port."""
    systems: tuple[str, ...] = Field(default=("listener",), min_length=1)
    """`name`, `name:preset` or a model folder each; the first one is the default."""
    engine: Literal["local", "openai", "torch"] = "local"
    """`local`: worker processes; `torch`: one thread of the server, for a GPU; `openai`: another server answers."""
    workers: int = Field(default=0, ge=0, le=256)
    """Worker processes; 0: one for each processor."""
    threads: int = Field(default=1, ge=1)
    """Threads of each worker. More than processors / workers makes everybody slower."""
    together: int = Field(default=1, ge=1, le=256)
    """Asks that a worker answers at the same time."""
    queue: int = Field(default=64, ge=0)
    """Asks that may wait; further ones are sent away with `Retry-After`."""
    answer_seconds: float = Field(default=60.0, gt=0)
    """After this a worker that has not answered is replaced."""
    openai_url: str = "http://127.0.0.1:8080/v1"
    openai_model: str = ""
    """Empty: the first model that the other server lists."""
    openai_key_file: Path | None = None
    database_url: str = ""
    """Empty: a SQLite file in the data folder."""
    data_folder: Path = Field(default_factory=lambda: platformdirs.user_data_path("hearten"))
    """Where the database and the secret of the cookies are kept."""
    review_token_file: Path | None = None
    """Holds the operator's token; without it one is made up and printed at each start."""
    allowed_hosts: tuple[str, ...] = ()
    """Host names that requests may be addressed to; empty: any, or on loopback only those of this machine."""
    secure_cookies: bool = False
    """Set behind HTTPS: the cookie is never sent in the clear."""
    text_limit: int = Field(default=4000, ge=1, le=100_000)
    """Characters in one message."""
    turns_per_minute: int = Field(default=40, ge=1)
    """Messages of one visitor, and of one address on the OpenAI-compatible path times 30."""
    actions_per_minute: int = Field(default=240, ge=1)
    """Everything else that one visitor changes."""
    retention_days: float = Field(default=180.0, ge=0)
    """Conversations without a word for so long are deleted; 0: kept."""
    drain_seconds: int = Field(default=30, ge=0)
    """How long replies under way may take when the server is told to stop."""

    @field_validator("systems", "allowed_hosts", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        """Take a list from the environment, written with commas."""
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @property
    def database(self) -> str:
        """The address of the database."""
        return self.database_url or f"sqlite:///{self.data_folder.expanduser().resolve() / 'service.db'}"

    @property
    def slots(self) -> int:
        """Asks that a worker has in hand: those that it answers, and on a GPU those that gather for its next batch."""
        return 2 * self.together if self.engine == "torch" and self.together > 1 else self.together

    @property
    def hosts(self) -> tuple[str, ...]:
        """Host names that are answered; empty: all. A server for this machine only is not fooled by foreign names."""
        return self.allowed_hosts or (LOOPBACK if self.host in LOOPBACK else ())


def read_settings(
    given: Mapping[str, Any], file: Path | None = None, environment: Mapping[str, str] = os.environ
) -> ServiceSettings:
    """Put settings together: what is given counts most, then the environment, then the file."""
    table: dict[str, Any] = _from_file(file or _named(environment))
    table |= _from_environment(environment)
    table |= {name: value for name, value in given.items() if value is not None}
    return validate(ServiceSettings, table, "the settings of the service")


def _named(environment: Mapping[str, str]) -> Path | None:
    name = environment.get(f"{PREFIX}SERVE_CONFIG")
    return Path(name) if name else None


def _from_file(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"the settings file {file} cannot be read: {error}") from None


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    names = {name: f"{PREFIX}{name.upper()}" for name in ServiceSettings.model_fields}
    found: dict[str, Any] = {name: environment[key] for name, key in names.items() if environment.get(key)}
    if environment.get("DATABASE_URL"):
        found.setdefault("database_url", environment["DATABASE_URL"])
    return found


def named_systems(systems: Sequence[str] | None, preset: str | None) -> tuple[str, ...] | None:
    """Add a preset to the systems that do not name one; folders have none."""
    if not systems:
        return None
    return tuple(
        name if preset is None or ":" in name or Path(name).is_dir() else f"{name}:{preset}" for name in systems
    )
