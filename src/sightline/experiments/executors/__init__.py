"""Who runs the cells of a study, one file a way; and what a worker process does, and when it ends."""
