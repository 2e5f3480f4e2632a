"""Figures of audits and studies, one in each file."""
