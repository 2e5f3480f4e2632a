"""Who runs the configurations of a study: this process, local workers, a Ray cluster."""
