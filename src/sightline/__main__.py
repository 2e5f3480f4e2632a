"""``python -m sightline``: Python looks for modules in the current folder first, and from here on
it no longer does.
"""

import os
import sys

# A file called socket.py next to the user's table must not be imported (decision 0041).
if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:  # noqa: PTH109  (pathlib might come from there)
    del sys.path[0]

from sightline.cli.entry_point import main

main()
