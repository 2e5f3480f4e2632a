"""Texts as any source gives them, and the one road from them to a dataset."""
