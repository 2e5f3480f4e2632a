"""Files and bytes: atomic writes, checksums, size limits, files opened safely."""
