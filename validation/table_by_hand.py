"""Recompute Table 2 of Jain & Wallace from saved audits, without any code of sightline.

    python validation/table_by_hand.py STORE [--corpus sst]

Takes the runs that docs/verified/results.csv.gz names for the table. Reads the weights, gradients
and leave-one-out values of each text from their audits, computes Kendall's τ-b with SciPy, text by
text, and its mean by predicted class; then mean and Student's t interval over seeds. These must
equal the digits of docs/tables/jain2019.md, which other code computes in another way. The share of
texts with p ≤ 0.05 is printed by SciPy's test and as sightline saved it, with one taken off |S|
(docs/decisions/0052-what-is-handed-on.md).
"""

import argparse
import csv
import gzip
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau, t

RESULTS = Path(__file__).parents[1] / "docs" / "verified" / "results.csv.gz"


def ragged(arrays, name):
    """Cut a flat array into one row a text."""
    flat, lengths = arrays[f"{name}/flat"], arrays[f"{name}/lengths"]
    return np.split(flat, np.cumsum(lengths)[:-1])


def rounded(values):
    """Make values equal that differ only by rounding: by a ten-millionth of the largest value, or
    by a millionth.
    """
    share = np.round(values / max(np.abs(values).max(), 1e-12), 7)
    return np.where(np.abs(share) < 1e-6, 0, share)


def by_class(folder):
    """Give the mean τ of attention with each importance, by predicted class."""
    arrays = np.load(folder / "arrays.npz")
    predicted, attention = arrays["outputs/predicted"], ragged(arrays, "outputs/attention")
    for kind in ("gradient", "deletion"):
        other = ragged(arrays, f"agreement/{kind}")
        pairs = zip(attention, other, strict=True)
        taus, p = np.array([kendalltau(rounded(a), rounded(b)) for a, b in pairs]).T
        known, saved = ~np.isnan(taus), arrays[f"agreement/significant.{kind}"]
        for one in (0, 1):
            some = known & (predicted == one)
            yield f"τ with {kind}, class {one}", taus[some].mean()
            yield f"significant with {kind}, class {one}, SciPy", (p[some] <= 0.05).mean()
            yield f"significant with {kind}, class {one}, saved", saved[some].mean()


def runs_of(study, corpus):
    """Give the model, the seed and the key of each run of a table."""
    with gzip.open(RESULTS, "rt", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["run"]]
    return sorted(
        {
            (row["model"], int(row["seed"]), row["run"])
            for row in rows
            if (row["study"], row["corpus"]) == (study, corpus)
        }
    )


def main():
    """Print a line a model and quantity."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--corpus", default="sst")
    asked, found = parser.parse_args(), defaultdict(dict)
    for model, seed, key in runs_of("jain2019:J-2", asked.corpus):
        folder = asked.store / "runs" / key[:2] / key
        if not folder.is_dir():
            print(f"not in this store: {model}, seed {seed} ({key})")
            continue
        for quantity, value in by_class(folder):
            found[f"{model} | {quantity}"][seed] = value
    for name, seeds in sorted(found.items()):
        values = np.array([*seeds.values()])
        half = t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
        low, high = values.mean() - half, values.mean() + half
        print(f"{name} | {values.mean():.2f} [{low:.2f}, {high:.2f}] | {len(values)}")


if __name__ == "__main__":
    main()
