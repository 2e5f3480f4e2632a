"""The numbers of an audit as plain columns."""
