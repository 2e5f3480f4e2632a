"""Synthetic corpora with planted evidence."""
