"""Pretrained weights: what they are, where they come from, and how they load."""
