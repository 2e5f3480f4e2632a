"""Whole runs: load, build, fit with companions, audit."""
