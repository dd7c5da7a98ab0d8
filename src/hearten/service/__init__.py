"""The chat service: a web server in front of the systems."""
