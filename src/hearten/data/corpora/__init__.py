"""One file per corpus, and nothing else in here. A file's name is the name of its corpus."""
