"""Write results tables as CSV, LaTeX, Markdown and for the terminal."""
