"""What ``import sightline`` offers beside values: load, train, audit, look, predict; each is a few lines."""
