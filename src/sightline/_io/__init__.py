"""Files and bytes: atomic writes, checksums, size limits, safe opening."""
