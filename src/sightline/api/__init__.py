"""All that the command line and notebooks call: load, train, audit, look, predict, compare, study."""
