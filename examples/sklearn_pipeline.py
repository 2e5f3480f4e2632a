"""Audit a scikit-learn pipeline by the weight of each word: only its probabilities are needed.

sightline audit --model answers:sklearn_pipeline:build --data 'planted:needle(n=450,length=8)'
python sklearn_pipeline.py
"""

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import sightline
from sightline.config.spec_syntax import parse_data
from sightline.report.text.audit_summary import lines

DATA = sightline.load(parse_data("planted:needle(n=450,length=8)"), seed=0)


def train(texts, labels):
    """Fit the usual pipeline: tf-idf and a logistic regression."""
    return make_pipeline(
        TfidfVectorizer(token_pattern=r"\S+"), LogisticRegression(C=100, max_iter=1000)
    ).fit(texts, labels)


# ---------------------------------------------------------------- the lines that an audit needs


def build():
    pipeline = train([one.text for one in DATA.train], [one.label for one in DATA.train])
    words, model = pipeline[0].vocabulary_, pipeline[1]

    def scores(texts, words_of):
        return [
            [model.coef_[0, words[word.lower()]] if word.lower() in words else 0.0 for word in one]
            for one in words_of
        ]

    return sightline.answers(
        pipeline.predict_proba, labels=DATA.label_names, scores=scores, name="tf-idf + logistic"
    )


if __name__ == "__main__":
    print("\n".join(lines(sightline.audit(build(), DATA))))
