"""The report: an audit's values in, one self-contained HTML page or a few lines of text out.

No number is computed here. Numbers are rounded, sorted, scaled for drawing and put into words;
whatever a user wrote is data, shown and never run.
"""
