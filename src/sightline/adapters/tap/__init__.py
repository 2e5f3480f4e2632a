"""Finds, reads and replaces attention inside a module without changing its code."""
