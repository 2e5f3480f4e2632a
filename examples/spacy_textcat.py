"""Audit a text categoriser of spaCy, whose classes exclude each other (textcat).

MODEL=my_pipeline sightline audit --model answers:spacy_textcat:build --data reviews.csv
"""

import os

import spacy

import sightline


def answering(nlp):
    """Make a function from texts to probabilities out of a pipeline with a text categoriser."""
    labels = nlp.get_pipe("textcat").labels

    def predict(texts):
        return [[doc.cats[label] for label in labels] for doc in nlp.pipe(texts)]

    return sightline.answers(predict, labels=labels, name=nlp.meta["name"])


def build():
    return answering(spacy.load(os.environ["MODEL"]))
