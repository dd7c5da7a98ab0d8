"""`hearten models`: pretrained weights on this machine."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from hearten.data.candidates import Candidate
    from hearten.engines.delta import Loss

app = typer.Typer(
    help="List, fetch and check pretrained weights; write what was learned on top of them.", no_args_is_help=True
)

Names = Annotated[list[str], typer.Argument(help="Names as in: hearten models list")]


@app.command("list")
def list_() -> None:
    """List the known backbones: kind, licence, sources, and whether they are here."""
    from hearten.backbones import state

    for row in state.rows():
        print(f"{row.name:<22} {row.kind:<10} {row.licence:<11} {row.state:<32} {row.sources} ({row.hashes})")


@app.command()
def pull(
    names: Names,
    force: Annotated[bool, typer.Option(help="Fetch again even what is already here.")] = False,
) -> None:
    """Fetch backbones and check their hashes."""
    from hearten.backbones import catalogue, fetch

    for backbone in [catalogue.find(name) for name in names]:
        print(f"{backbone.name}: {fetch.pull(backbone, force=force)}")


@app.command()
def verify(names: Annotated[list[str] | None, typer.Argument(help="All that are here, by default.")] = None) -> None:
    """Hash the files of backbones again; exit 1 if one is damaged."""
    from hearten.backbones import catalogue, fetch, state

    bad = False
    for name in names or state.present():
        damaged = fetch.verify(catalogue.find(name))
        bad = bad or bool(damaged)
        print(f"{name}: {'damaged or missing: ' + ', '.join(damaged) if damaged else 'sound'}")
    if bad:
        raise typer.Exit(1)


@app.command()
def delta(
    model: Annotated[Path, typer.Argument(help="Folder of a language model that was trained from a backbone.")],
    out: Annotated[Path, typer.Argument(help="File to write: delta.safetensors")],
    backbone: Annotated[str, typer.Option(help="What it was trained from.")] = "smollm2-135m-instruct",
    megabytes: Annotated[float, typer.Option(help="Size of the file at the most.")] = 38.0,
    after: Annotated[list[Path] | None, typer.Option(help="Delta that it was trained on top of; repeatable.")] = None,
) -> None:
    """Write what a model learned on top of its backbone as a small file, and say what is lost by that."""
    from hearten.engines.learned import write_delta

    _tell(out, write_delta(model, backbone, out, megabytes, after=after or ()))


@app.command()
def pack(
    model: Annotated[Path, typer.Argument(help="Folder of a trained model.")],
    out: Annotated[Path, typer.Argument(help="File to write: my-run.safetensors")],
    megabytes: Annotated[float, typer.Option(help="Size of the file at the most.")] = 24.0,
) -> None:
    """Keep what a run learned as a small file, from which another machine can go on; say what is lost by that."""
    from hearten.training.packing import pack as write

    _tell(out, write(model, out, megabytes))


@app.command()
def unpack(
    packed: Annotated[Path, typer.Argument(help="File that `hearten models pack` wrote.")],
    out: Annotated[Path, typer.Argument(help="Model folder to write.")],
) -> None:
    """Make the model folder of a packed run again, from its backbone and what it learned."""
    from hearten.training.packing import unpack as make

    print(make(packed, out))


@app.command()
def average(
    models: Annotated[list[Path], typer.Argument(help="Folders of runs that began at the same place.")],
    out: Annotated[Path, typer.Option(help="Model folder to write.")],
    share: Annotated[list[float] | None, typer.Option(help="Of each folder, in order; equal unless given.")] = None,
) -> None:
    """Write the mean of the weights of several runs: often better than each, and as fast as one."""
    from hearten.training.averaging import average as write

    print(write(models, out, share or ()))


@app.command()
def export(
    model: Annotated[Path, typer.Argument(help="Folder of a trained retrieval system.")],
    out: Annotated[Path, typer.Argument(help="Folder to write.")],
) -> None:
    """Write a retrieval system's encoders as 8-bit ONNX, with its candidates: to answer and rank without torch."""
    from hearten.artifacts.folder import load
    from hearten.errors import UserError
    from hearten.systems.rashkin.model import Rashkin
    from hearten.systems.rashkin.onnx import export as write

    system = load(model)
    if not isinstance(system, Rashkin):
        raise UserError(f"{model} is no retrieval system; a reader is exported by: hearten read --export {model}")
    print(write(system, out))


@app.command()
def shelf(
    out: Annotated[Path, typer.Argument(help="Folder to write.")],
    corpus: Annotated[str, typer.Option(help="Whose conversations the listener answers.")] = "empathetic_dialogues",
    limit: Annotated[int, typer.Option(help="How many of them, spread over the training split.", min=1)] = 2500,
    ranker: Annotated[str, typer.Option(help="As of the listener's parts.")] = "shipped",
) -> None:
    """Let the listener write replies beforehand, to be looked up where too many people wait."""
    from rich.console import Console
    from rich.progress import Progress

    from hearten.data.source import load_examples
    from hearten.listener import shelf as shelves
    from hearten.listener.agent import Agent
    from hearten.listener.load import Choice, parts
    from hearten.listener.manner import Manner

    examples = load_examples(corpus, "train")
    chosen = examples[:: max(1, len(examples) // limit)][:limit]
    manner = Manner(plans=0, reads=False)
    agent = Agent(parts(Choice(ranker=ranker, shelf="none"), manner), manner)
    found: list[Candidate] = []
    with Progress(console=Console(stderr=True)) as progress:
        bar = progress.add_task("writing replies (interrupt to keep what is there)", total=len(chosen))
        with contextlib.suppress(KeyboardInterrupt):
            for several in shelves.written(agent.quick(), chosen):
                found += several
                progress.advance(bar, shelves.TOGETHER)
    left_out = shelves.stock(found, examples, agent.parts.ranker, out)
    print(f"{out}: {len(found) - left_out.total()} replies; left out:")
    for reason, count in left_out.most_common():
        print(f"  {count:>5} {reason}")


def _kind(name: str) -> str:
    """Name a matrix without the number of its layer."""
    return ".".join(part for part in name.split(".") if not part.isdigit())


def _tell(path: Path, lost: "list[Loss]") -> None:
    """Say how large a file is, and how much of the changes it misses."""
    from hearten.backbones.manifest import sha256

    changed = [one for one in lost if one.rank or one.error]
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, SHA-256 {sha256(path)}")
    print(f"{len(changed)} of {len(lost)} matrices changed; of the size of a change is missing, by part of a layer:")
    for kind in sorted({_kind(one.name) for one in changed}):
        of_kind = [one for one in changed if _kind(one.name) == kind]
        missing = sum(one.error for one in of_kind) / len(of_kind)
        rank = sum(one.rank for one in of_kind) / len(of_kind)
        print(f"  {kind:<28} {missing:6.1%}   rank {rank:.0f} on average")
