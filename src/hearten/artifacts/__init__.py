"""The model folder: how a system is stored so that it can rebuild and explain itself."""
