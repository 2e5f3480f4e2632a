"""Exact shortcuts: the same numbers as the direct computation, faster."""
