"""The page: everything an audit found as one HTML file."""
