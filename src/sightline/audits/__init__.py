"""One audit: run every measure on batches of texts, judge the numbers, and give an `Audit`."""
