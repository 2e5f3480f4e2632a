"""The command line: each command translates its flags into one library call."""
