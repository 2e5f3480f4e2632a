"""An audit as plain columns, for spreadsheets and other programs: one row a text, one row a word, and what each is."""
