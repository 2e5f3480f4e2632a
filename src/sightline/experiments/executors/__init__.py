"""Executors of the runs of a study: this process, local workers, a Ray cluster, Slurm jobs."""
