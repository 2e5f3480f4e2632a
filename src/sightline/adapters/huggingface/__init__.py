"""Sequence classifiers of Hugging Face transformers."""
