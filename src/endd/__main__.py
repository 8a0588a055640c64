"""`python -m endd`."""

from endd.cli import main

main()
