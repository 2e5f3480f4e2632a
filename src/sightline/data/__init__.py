"""Texts, from files to batches."""
