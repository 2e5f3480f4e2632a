"""Corpora generated from a seed, with their evidence known word by word."""
