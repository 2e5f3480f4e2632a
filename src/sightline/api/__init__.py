"""What ``import sightline`` offers."""
