"""Export the numbers of an audit as plain tables."""
