"""Decoding, once for all torch systems: greedy, sampling, beams and diverse beams over any model that can step.

The algorithms know a model as a `Stepper` only. `hearten.nn.decoding.causal.CausalStepper` makes one of a transformers
language model; it stands apart, so that a model of our own needs no transformers. What may be set is in
`hearten.decoding`.
"""

from hearten.nn.decoding.generation import generate, stream
from hearten.nn.decoding.hypothesis import Hypothesis
from hearten.nn.decoding.stepper import Stepper

__all__ = ["Hypothesis", "Stepper", "generate", "stream"]
