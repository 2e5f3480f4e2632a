"""From embeddings to hidden states, a file an encoder; padding never reaches a real token's state."""
