"""Compatibility checks: what a model must satisfy before it is audited."""
