"""How measures are taken: batch by batch, each under a guard, their rows counted and put in order."""
