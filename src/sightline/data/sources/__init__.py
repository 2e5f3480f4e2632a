"""Bytes to cells: folders and archives, rows of tables, columns of rows; every mistake with file and line."""
