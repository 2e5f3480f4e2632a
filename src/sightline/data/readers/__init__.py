"""Bytes to rows: CSV, JSON lines, Parquet, Arrow, folders, archives."""
