"""Exact shortcuts: the same numbers as the plain way, computed together."""
