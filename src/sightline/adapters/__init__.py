"""Models that are not ours: what they give is read, checked, and proved to be what an audit asks for."""
