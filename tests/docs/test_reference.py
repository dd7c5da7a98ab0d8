"""The generated page of the command line is current. To write it anew: python tests/docs/test_reference.py"""

from pathlib import Path

from typer.main import get_command

from hearten.cli.main import build

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"


def render() -> str:
    """Return the help of every command as one page."""
    parts = ["# Command line\n\nGenerated from the program's own help.\n"]
    root = get_command(build())
    parts += sections(root, "hearten")
    return "\n".join(parts)


def sections(command: object, name: str) -> list[str]:
    context = command.make_context(name, [], resilient_parsing=True)  # type: ignore[attr-defined]
    context.max_content_width = context.terminal_width = 110
    made = [f"## `{name}`\n\n```text\n{command.get_help(context).rstrip()}\n```\n"]  # type: ignore[attr-defined]
    for inner in sorted(getattr(command, "commands", {})):
        made += sections(command.commands[inner], f"{name} {inner}")  # type: ignore[attr-defined]
    return made


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), "run: python tests/docs/test_reference.py"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
