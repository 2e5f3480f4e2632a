"""Recompute Table 2 of Jain & Wallace from saved audits, without any code of sightline.

    python validation/table_by_hand.py STORE [--corpus sst] [--seeds N]

Reads the weights, gradients and leave-one-out values of each text from the audits, computes
Kendall's τ-b with SciPy, text by text, and its mean by predicted class; then mean and Student's t
interval over seeds. These must equal the digits of docs/papers/jain2019.md, which other code
computes in another way. The share of texts with p ≤ 0.05 is printed by SciPy's test and as sightline
saved it, with one taken off |S| (docs/decisions/0052-what-is-handed-on.md).
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau, t


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


def main():
    """Print a line a model and quantity."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--corpus", default="sst")
    parser.add_argument("--seeds", type=int, default=10**6, help="seeds below this alone")
    asked, found = parser.parse_args(), defaultdict(dict)
    for audit in sorted(asked.store.glob("runs/*/*/audit.json")):
        content = json.loads(audit.read_text(encoding="utf-8"))
        run = content["spec"]["run"]
        taken = run["data"]["kind"] == asked.corpus and run["seed"] < asked.seeds
        if taken and "agreement" in content["measured"]:
            model = f"{run['model']['encoder']['name']}+{run['model']['scorer']['name']}"
            for quantity, value in by_class(audit.parent):
                found[f"{model} | {quantity}"][run["seed"]] = value
    for name, seeds in sorted(found.items()):
        values = np.array([*seeds.values()])
        half = t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
        low, high = values.mean() - half, values.mean() + half
        print(f"{name} | {values.mean():.2f} [{low:.2f}, {high:.2f}] | {len(values)}")


if __name__ == "__main__":
    main()
