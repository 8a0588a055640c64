"""`python -m endd`."""

from endd.cli import main

if __name__ == "__main__":  # not in the workers that it starts
    main()
