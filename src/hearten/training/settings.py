"""What a training run may be told. Values live in the presets; here are types, bounds and reasons."""

from typing import Any, Literal

from pydantic import Field

from hearten import config, registry
from hearten.config import Settings
from hearten.dialogue import Sides
from hearten.errors import UserError

Precision = Literal["full", "bf16"]


class Stage(Settings):
    """One pass over one corpus with one optimiser schedule; a preset lists one or more, run in order."""

    corpus: str
    """Name of a dialogue corpus: `hearten list corpora`."""
    sides: Sides = "listener"
    """Whose turns are targets. Rashkin et al. train on both sides and evaluate on the listener's."""
    window: int | None = Field(default=None, ge=1)
    """How many turns of context to keep; all when absent."""
    limit: int | None = Field(default=None, ge=1)
    """Use only the first so many dialogues (for trials)."""
    epochs: float = Field(default=0.0, ge=0)
    steps: int = Field(default=0, ge=0)
    """Length of the stage: so many steps if above 0, otherwise so many epochs. Both 0: the system only prepares."""
    batch_tokens: int = Field(default=2048, ge=8)
    """Padded tokens in one micro-batch at the most."""
    microbatches: int = Field(default=1, ge=1)
    """Micro-batches in one optimiser step, shared out among the processes."""
    lr: float = Field(default=1e-4, gt=0)
    warmup: int = Field(default=0, ge=0)
    """Steps of linear warm-up."""
    schedule: Literal["cosine", "constant"] = "cosine"
    weight_decay: float = Field(default=0.01, ge=0)
    clip: float = Field(default=1.0, gt=0)
    """Largest norm of the gradient."""
    evaluate_every: int = Field(default=0, ge=0)
    """Steps between looks at the validation loss; 0: only at the end of the stage."""
    evaluate_limit: int | None = Field(default=None, ge=1)
    """Use only so many validation examples for those looks."""
    patience: int = Field(default=0, ge=0)
    """Stop after so many looks without improvement; 0: never."""
    checkpoint_every: int = Field(default=200, ge=1)
    """Steps between checkpoints to resume from."""
    frozen: int = Field(default=0, ge=0)
    """Above 0: the embeddings and so many of the lowest layers of the pretrained model stay as they are."""
    remember: bool = False
    """Keep in memory what the frozen layers make of each text: later epochs skip them, which take no dropout then."""
    precision: Precision | None = None
    """`bf16` multiplies with half the bits, about twice as fast where the processor can: GPUs, and CPUs with AMX or
    AVX512-BF16; elsewhere it is slower than `full`. When absent, as `accelerate launch` is told, or else `full`."""
    lora_rank: int = Field(default=0, ge=0)
    """0 trains every weight; above 0 trains low-rank adapters of this rank, merged at the end of the stage."""
    lora_alpha: float = Field(default=32.0, gt=0)
    lora_dropout: float = Field(default=0.0, ge=0, lt=1)
    """Share of what an adapter reads that is left out at random in each step, so that less is learned by heart."""
    lora_targets: tuple[str, ...] = ()
    """Names of the linear layers that get adapters; empty lets peft choose by architecture."""


class Recipe(Settings):
    """A preset, resolved and checked: all that is needed to build a system again."""

    system: str
    preset: str
    settings: Any
    """The system's own settings, an instance of its `Config`."""
    stages: tuple[Stage, ...]
    seed: int = 0
    reported: dict[str, float] = Field(default_factory=dict)
    """Scores that the paper reports, by metric."""


def recipe(system: str, preset: str, overrides: list[str] | None = None) -> Recipe:
    """Resolve a preset and overrides (`system.hidden=64`, `stage.0.steps=10`, `seed=1`) into a checked recipe."""
    where = f"preset '{preset}' of {system}"
    table = config.override(config.read_preset(system, preset), overrides or [])
    unknown = set(table) - {"system", "stage", "seed", "reported"}
    if unknown:
        raise UserError(f"{where} has unknown tables: {', '.join(sorted(unknown))}")
    kind = registry.load("system", system)
    stages = tuple(config.validate(Stage, stage, f"stage {n} of {where}") for n, stage in enumerate(table["stage"]))
    settings = config.validate(kind.Config, table.get("system", {}), f"[system] of {where}")
    whole: config.Table = {key: table[key] for key in ("seed", "reported") if key in table}
    whole |= {"system": system, "preset": preset, "settings": settings, "stages": stages}
    return config.validate(Recipe, whole, where)
