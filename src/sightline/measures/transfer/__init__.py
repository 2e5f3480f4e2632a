"""The transfer test: highlighted words copied into other texts."""
