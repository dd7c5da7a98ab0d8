"""HTTP in, domain calls, HTTP out: one file for each part of the service."""
