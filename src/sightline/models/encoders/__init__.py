"""Encoders, one a file."""
