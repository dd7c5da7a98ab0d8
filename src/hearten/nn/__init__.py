"""Layers and decoding shared by the torch systems."""
