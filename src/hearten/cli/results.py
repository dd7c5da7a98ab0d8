"""`hearten results`: all stored results, and the page that is made from them."""

import json
from pathlib import Path
from typing import Annotated

import typer


def command(
    folder: Annotated[Path, typer.Argument(help="Folder of results.")] = Path("results"),
    as_json: Annotated[bool, typer.Option("--json", help="Print every score as JSON.")] = False,
    write: Annotated[Path | None, typer.Option(help="Write the results page to this file.")] = None,
    check: Annotated[Path | None, typer.Option(help="Fail if this results page is not the current one.")] = None,
) -> None:
    """Show the stored results."""
    from hearten.errors import UserError
    from hearten.evaluation import report
    from hearten.evaluation.show import results_table

    if check:
        if check.read_text(encoding="utf-8") != report.render_results(folder, report.published()):
            raise UserError(f"{check} is out of date; run: hearten results --write {check}")
    elif write:
        write.write_text(report.render_results(folder, report.published()), encoding="utf-8")
        typer.echo(f"written to {write}", err=True)
    elif as_json:
        typer.echo(json.dumps(report.flat(report.collect(folder)), indent=1))
    else:
        results_table(report.collect(folder), report.published().columns)
