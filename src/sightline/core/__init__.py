"""The values every package shares: errors, seeds, examples, traces, protocols, results."""
