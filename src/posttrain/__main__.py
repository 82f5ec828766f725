"""``python -m posttrain``: the command without its script on the path."""

import sys

from posttrain.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
