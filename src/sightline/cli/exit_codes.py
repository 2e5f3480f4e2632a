"""The exit codes of the command line, which `sightline.cli.app` explains."""

DONE, BUG, WRONG_INPUT, GATE_CLOSED, UNFINISHED = 0, 1, 2, 3, 4
INTERRUPTED, READER_GONE, TERMINATED = 130, 141, 143
UNFIT = BUG
"""The doctor found a problem."""
