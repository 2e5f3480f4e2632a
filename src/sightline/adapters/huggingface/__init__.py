"""Sequence classifiers of Hugging Face transformers: read from a folder, tapped, proved, audited."""
