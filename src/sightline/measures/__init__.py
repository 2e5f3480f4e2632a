"""One question a file: raw numbers for each text, observed and at chance level."""
