"""Read bytes into rows: CSV, JSON lines, Parquet, Arrow, folders, archives."""
