"""Texts in: tables and planted corpora become a `Dataset` whose splits cannot overlap and whose card hides nothing."""
