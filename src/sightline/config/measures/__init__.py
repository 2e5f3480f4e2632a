"""The rows of all measures: where each is implemented, its settings, and the numbers it gives."""
