"""Which of a model's many readings to show, if any."""
