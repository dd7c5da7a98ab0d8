"""`python -m hearten`, for launchers that start modules."""

from hearten.cli.main import main

main()
