"""The training loop, its objectives, control models and resuming."""
