"""The public API: what ``import sightline`` offers."""
