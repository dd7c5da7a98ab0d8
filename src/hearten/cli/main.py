"""The `hearten` program: gathers the verbs of this folder, and turns mistakes into one clear line and an exit code."""

import importlib
import os
import pkgutil
import sys

import typer

import hearten.cli


def build() -> typer.Typer:
    """Put the verbs together: a file defines `command`, or `app` for a group."""
    app = typer.Typer(
        name="hearten",
        help="Open-source empathetic conversation.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    for verb in sorted(module.name for module in pkgutil.iter_modules(hearten.cli.__path__)):
        if verb == "main":
            continue
        module = importlib.import_module(f"hearten.cli.{verb}")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=verb)
        else:
            app.command(name=verb)(module.command)
    return app


def main() -> None:
    """Run the program. Exit codes: 2 for the user's mistake, 1 for ours, 130 when interrupted."""
    from hearten.errors import UserError

    try:
        build()()
    except UserError as error:
        print(f"hearten: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("\nhearten: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output (head, less) has gone; nothing is left to say. Keep Python from flushing into it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
