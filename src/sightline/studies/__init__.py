"""A study is a grid and what turns its rows into a table or figure."""
