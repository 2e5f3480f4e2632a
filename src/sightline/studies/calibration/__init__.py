"""Scenarios with a known answer: thresholds, attacks, worked examples, real corpora."""
