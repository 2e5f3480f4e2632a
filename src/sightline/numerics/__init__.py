"""Pure functions on arrays; they know nothing of models or statistics."""
