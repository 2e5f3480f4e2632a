"""Studies: what runs are taken, what is read of each, and what all of them say."""
