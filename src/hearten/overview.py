"""What there is, in one line each, and one thing in full. For `hearten list` and `hearten show`."""

from hearten import config, registry, taxonomy
from hearten.errors import UserError

KINDS = {"systems": "system", "corpora": "corpus", "metrics": "metric"}


def rows(kind: str) -> list[tuple[str, str]]:
    """Return name and one line for everything of a kind."""
    if kind == "emotions":
        return [(label.name, f"{label.kind}: {label.gloss}") for label in taxonomy.BY_NAME.values()]
    return [(name, _line(KINDS[kind], name)) for name in registry.names(KINDS[kind])]


def full(name: str) -> str:
    """Describe a system, corpus, metric or label at length."""
    if name in taxonomy.BY_NAME:
        label = taxonomy.BY_NAME[name]
        return f"{label.name} ({label.kind}): {label.gloss}. Valence {label.valence:+.1f}, colour {label.colour}."
    for kind in KINDS.values():
        if name in registry.names(kind):
            return _system(name) if kind == "system" else _plugin(kind, name)
    raise UserError(f"there is nothing called '{name}'; see: hearten list")


def _line(kind: str, name: str) -> str:
    if kind == "system":
        return f"{_heading(name).partition(': ')[2]} [{', '.join(config.presets(name))}]"
    plugin = registry.load(kind, name)
    return str(getattr(plugin, "title", None) or _docstring(plugin))


def _docstring(plugin: object) -> str:
    return (type(plugin).__doc__ or "").strip().partition("\n")[0]


def _readme(system: str) -> str:
    path = config.system_folder(system) / "README.md"
    return path.read_text(encoding="utf-8") if path.is_file() else f"# {system}: (its package ships no README)\n"


def _heading(system: str) -> str:
    return _readme(system).partition("\n")[0].removeprefix("# ")


def _system(name: str) -> str:
    from hearten.system import capabilities

    able = ", ".join(capabilities(registry.load("system", name)))
    return f"{_readme(name)}\nCan: {able}\nPresets: {', '.join(config.presets(name))}\n"


def _plugin(kind: str, name: str) -> str:
    plugin = registry.load(kind, name)
    about = [f"{name} ({kind}): {getattr(plugin, 'title', None) or _docstring(plugin)}"]
    about += [f"{field}: {getattr(plugin, field)}" for field in ("licence", "citation") if getattr(plugin, field, "")]
    return "\n".join(about) + "\n"
