"""Confidence intervals, paired differences and p-values over texts."""
