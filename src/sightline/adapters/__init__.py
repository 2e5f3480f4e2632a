"""Models that were not built here: wrapped modules, tapped modules, Hugging Face classifiers."""
