"""A store as tables that answer SQL."""
