"""`hearten compare`: stored results side by side."""

import json
from pathlib import Path
from typing import Annotated

import typer


def command(
    folders: Annotated[list[Path], typer.Argument(help="Results folders; the first is the baseline.")],
    markdown: Annotated[Path | None, typer.Option(help="Write the table to this Markdown file.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write table and plots to this HTML file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    seed: Annotated[int, typer.Option(help="For resampling.")] = 0,
) -> None:
    """Set results side by side, with intervals and paired tests."""
    from hearten.evaluation import compare, plots
    from hearten.evaluation.show import comparison_table

    comparison = compare.compare(compare.find(folders), seed)
    if markdown:
        markdown.write_text(compare.to_markdown(comparison), encoding="utf-8")
    if html:
        html.write_text(plots.page(comparison), encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(compare.to_json(comparison), indent=1))
    else:
        comparison_table(comparison)
