"""What Tutek & Šnajder (2020) print of models that keep their words; `sightline.studies.retained` stands beside it.

Of the corpora that are trained here; their AG News, IMDB and clinical corpora are left out.
"""

from __future__ import annotations

from collections.abc import Mapping

TABLE_2: Mapping[tuple[str, str], float] = {
    ("sst", "base"): 2.324,
    ("sst", "residual"): 5.062,
    ("sst", "tying"): 4.870,
    ("sst", "mlm"): 3.662,
    ("news", "base"): 1.566,
    ("news", "residual"): 4.345,
    ("news", "tying"): 3.985,
    ("news", "mlm"): 3.677,
}
"""Page 137, rows MF (the 1,000 most frequent words), additive attention: counted information of words and states, by
corpus and way of training. How many pairs were counted is not printed (at most a million)."""
TABLE_3: Mapping[tuple[str, str, str], float] = {
    ("sst", "additive", "base"): 0.712,
    ("sst", "additive", "residual"): 0.685,
    ("sst", "additive", "tying"): 0.586,
    ("sst", "additive", "mlm"): 0.630,
    ("sst", "dot", "base"): 0.693,
    ("sst", "dot", "residual"): 0.701,
    ("sst", "dot", "tying"): 0.600,
    ("sst", "dot", "mlm"): 0.664,
    ("news", "additive", "base"): 0.811,
    ("news", "additive", "residual"): 0.551,
    ("news", "additive", "tying"): 0.577,
    ("news", "additive", "mlm"): 0.514,
    ("news", "dot", "base"): 0.687,
    ("news", "dot", "residual"): 0.755,
    ("news", "dot", "tying"): 0.516,
    ("news", "dot", "mlm"): 0.482,
}
"""Page 138: mean probability by one word alone, of texts decided rightly, by corpus, scorer (their + and •) and way."""
