"""The report of an audit: one self-contained HTML page, or a few lines of text.

Nothing is computed here: numbers are rounded, sorted, scaled for drawing and put into words.
Whatever a user wrote is data, which is shown and never run.
"""
