"""The tables and figures of the papers, one paper a file."""
