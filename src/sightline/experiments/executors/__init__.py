"""Who runs the cells of a study: one file a way."""
