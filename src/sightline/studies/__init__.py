"""Studies: which runs to make, what to read of each, and how to aggregate the readings."""
