"""A study is a grid and what turns its runs into a table or figure: one study a file."""
