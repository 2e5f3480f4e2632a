"""What a run is made of: specs, the registry of parts, presets, run keys."""
