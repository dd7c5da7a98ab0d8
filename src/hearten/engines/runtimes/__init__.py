"""One file per runtime; a file's name is the engine's name."""
