"""``python -m sightline``."""

from sightline.cli.app import main

main()
