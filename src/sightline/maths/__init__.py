"""Pure functions on arrays; the formulas of the papers and nothing else."""
