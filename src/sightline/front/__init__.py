"""What ``import sightline`` offers beside values: load, train, audit, look, predict; a few lines over the rooms below."""
