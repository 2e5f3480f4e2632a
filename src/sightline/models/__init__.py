"""The built-in classifier and its parts."""
