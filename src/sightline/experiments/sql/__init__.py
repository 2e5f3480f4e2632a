"""SQL over a store."""
