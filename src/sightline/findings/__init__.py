"""From measurements to coded findings and a verdict; thresholds are in ``thresholds.json`` beside this file."""
