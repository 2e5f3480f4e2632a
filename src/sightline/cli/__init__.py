"""The command line: each command turns its flags into one call of `sightline.api`."""
