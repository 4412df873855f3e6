"""``python -m orr_release`` is the command ``orr``."""

import sys

from orr_release.cli import main

if __name__ == "__main__":
    sys.exit(main())
