"""The training loop and what it can be asked to do."""
