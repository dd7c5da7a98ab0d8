"""The default agent: reads, plans, generates, chooses, and says why. Needs no torch."""
