"""Published corpora, one format a file."""
