"""Training: validation chooses, the test split is never seen here."""
