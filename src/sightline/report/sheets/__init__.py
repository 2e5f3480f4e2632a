"""Audits and tables as text: for a terminal, for Markdown, for LaTeX, and in full as CSV."""
