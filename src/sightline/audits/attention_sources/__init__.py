"""Which attention to show of a model that has several: heads, layers, a mixture."""
