"""What may be set of the selector."""

from pydantic import Field

from hearten.systems.plainlm.settings import LanguageSettings


class SelectorSettings(LanguageSettings):
    """Those of any language model here, and how the choice is taught."""

    encoder: str = "shipped"
    """Says which replies look alike: the folder `encoder` in what `hearten models export` wrote, or `shipped`."""
    group: int = Field(ge=2)
    """So many conversations that look alike are read with each other's replies: each has its own to find."""
    among: int = Field(ge=2)
    """The ones of a group are looked for among so many drawn at random: more make harder groups."""
    sharpness: float = Field(gt=0)
    """What gains in log probability are multiplied by before they are made chances."""
    reply_weight: float = Field(ge=0)
    """How much the loss of the replies' words counts beside that of the choice, which counts 1."""
