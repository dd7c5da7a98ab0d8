"""Mistakes that the person at the keyboard can mend. Their text says what was wrong and what to do."""


class UserError(Exception):
    """Shown without a traceback; the command line exits with 2."""


class MissingExtra(UserError):
    """A part of hearten that needs packages of an optional extra."""

    def __init__(self, what: str, extra: str = "train") -> None:
        super().__init__(f"{what} needs the '{extra}' extra; run: pip install 'hearten[{extra}]' -c constraints.txt")
