"""Load texts: from files to datasets and batches."""
