"""Pure functions on arrays, without models or statistics."""
