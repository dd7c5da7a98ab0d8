"""A pretrained language model, fine-tuned on dialogue with nothing added."""

from hearten.systems.plainlm.model import PlainLM

PLUGIN = PlainLM
