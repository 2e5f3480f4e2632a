"""The definition of a run: specs, the registry of parts, presets, run keys."""
