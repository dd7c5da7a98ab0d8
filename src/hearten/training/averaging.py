"""One model of several: the mean of the weights of runs that began at the same place (Wortsman et al. 2022).

Runs that met the examples in other orders, or learned a little more beside them, err differently, and as long as they
began with the same weights their mean is often better than each. It costs no more than one of them to use.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from hearten.artifacts import folder
from hearten.artifacts.folder import command_line
from hearten.errors import MissingExtra, UserError
from hearten.system import Array, System, Trainable


def average(places: Sequence[Path], out: Path, shares: Sequence[float] = ()) -> Path:
    """Write the model folder of the weighted mean, equal shares unless told; settings are those of the first."""
    shares = shares or [1.0] * len(places)
    if len(places) < 2 or len(shares) != len(places) or min(shares) < 0 or not sum(shares):
        raise UserError(f"{len(places)} folders and {len(shares)} shares: give two or more, and a share for each")
    try:
        from hearten.nn.weights import fill
    except ModuleNotFoundError as error:
        raise MissingExtra("averaging models") from error
    origins = [folder.read_origin(place) for place in places]
    systems = [folder.load(place) for place in places]
    mean: dict[str, Array] = {}
    for system, share, place in zip(systems, shares, places, strict=True):
        weights = _weights(system, place)
        if mean and {name: array.shape for name, array in weights.items()} != {n: a.shape for n, a in mean.items()}:
            raise UserError(f"{place} has other weights than {places[0]}; only models of one shape have a mean")
        mean = {name: mean.get(name, 0.0) + share / sum(shares) * array for name, array in weights.items()}
    first = systems[0]
    fill(first.network, {name: array.astype(np.float32) for name, array in mean.items()})  # type: ignore[attr-defined]
    data = {split: digest for origin in origins for split, digest in origin.data.items()}
    return folder.save(first, replace(origins[0], data=data, command=command_line()), out)


def _weights(system: System, place: Path) -> dict[str, Array]:
    from hearten.nn.weights import arrays

    if not isinstance(system, Trainable):
        raise UserError(f"{place} holds nothing that learns by gradients, so there is nothing to average")
    return arrays(system.network)
