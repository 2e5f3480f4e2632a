"""Results tables as CSV, LaTeX, Markdown and for the terminal."""
