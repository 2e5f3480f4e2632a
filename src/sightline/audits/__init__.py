"""One audit: the pass over batches and measures, and the `Audit` it gives."""
