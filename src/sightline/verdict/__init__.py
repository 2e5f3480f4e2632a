"""The tests, the decision rule and the verdict."""
