"""`python -m bmc` is the command `bmc`."""

from bmc.cli.main import main

if __name__ == "__main__":
    main()
