"""Generated corpora with planted evidence."""
