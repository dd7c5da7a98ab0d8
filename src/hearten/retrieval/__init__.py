"""Choosing among very many candidates: the pool, the index over their vectors, and an encoder without torch."""
