"""One file per metric, and nothing else in here. A file's name is the name of its metric."""
