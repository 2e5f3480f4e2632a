"""Turn records into a `Dataset`: splits, copies, warnings."""
