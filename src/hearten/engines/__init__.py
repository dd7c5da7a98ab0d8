"""CPU runtimes for language models that are served: base weights and a delta in, ids in and out, no torch."""
