"""From records to a `Dataset`: splits, copies, warnings, the cache."""
