"""What a run is made of, as values: text ↔ value, canonical JSON, and the key that names the run."""
