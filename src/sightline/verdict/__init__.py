"""The tests, the decision rule and the verdict of an audit."""
