"""The built-in classifiers: embed → encode → score → project → pool → decode."""
