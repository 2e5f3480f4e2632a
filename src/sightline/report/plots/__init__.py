"""Figures as files, each with its numbers beside it: one figure a file, all by name in `named.py`."""
