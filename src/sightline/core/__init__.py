"""The values that every package shares: errors, seeds, examples, traces, protocols, results."""
