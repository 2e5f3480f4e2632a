"""Audits compared with one another."""
