"""Measures: each file asks one question and keeps raw numbers by text, observed and by chance."""
