"""Intervals, paired differences and p-values over texts."""
