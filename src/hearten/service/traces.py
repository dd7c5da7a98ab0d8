"""What the log says of an error."""


def where(error: BaseException) -> str:
    """Say which error it was and where it arose, without its text, which may quote a person."""
    place = error.__traceback__
    frames = []
    while place is not None:
        frames.append(f"{place.tb_frame.f_code.co_filename.rpartition('/')[2]}:{place.tb_lineno}")
        place = place.tb_next
    return f"{type(error).__name__} at {' > '.join(frames[-4:])}"
