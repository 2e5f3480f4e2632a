"""Whole runs: grids, the store, executors, tables."""
