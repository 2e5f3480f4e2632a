"""Compare an audit that stops when its verdict is settled with a full one, on models of real texts.

    python validation/settled_real.py STORE --data DIR --out FILE [--texts N]

Models are those of the papers' tables whose trainings a store holds, one training of each on each
corpus, and a fine-tuned pretrained transformer of which each head, and each way to join heads, is
one attention source. Each model adds one line to FILE and is not audited again. Every audit takes
several looks, as in `settled_early.py`. Writes ``docs/verified/settled_real.json``.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import torch
from checkout import VERIFIED
from json_lines import add_line, read_lines
from settled_early import in_both_ways, line, summed_up, write

from sightline.api.model_argument import join_with_data
from sightline.api.run_options import AuditOptions
from sightline.audits import one_look
from sightline.config.run_keys import training_key
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import RunSpec
from sightline.data.load_dataset import load
from sightline.experiments.pipeline import train
from sightline.experiments.run_in_store import keep_training
from sightline.experiments.store import Store
from sightline.studies.papers.paper_index import plan_named
from sightline.studies.study_corpora import vectors_of
from sightline.studies.study_definition import Params

TABLES = (
    "jain2019:J-2",
    "jain2019:J-7",
    "jain2019:J-V",
    "meister2021:M-2",
    "tutek2020:T-1",
    "tutek2020:T-6",
    "wen2022:W-5",
    "wiegreffe2019:P-V",
)
CORPORA = ("sst", "babi1", "babi2")
"""Those of short texts: a full audit of a newsgroup's takes minutes."""
LAYERS, HEADS = 6, 12
JOINED = ("", "(reading=rollout)")
SEED, TEXTS, DRAWN = 1, 130, 5
OUT = VERIFIED / "settled_real.json"

Audited = Callable[[], dict[str, Any]]


def of_the_papers(store: Store, data: Path, texts: int) -> Iterator[tuple[str, Audited]]:
    """Name one training of each model on each corpus."""
    named = set()
    for table in TABLES:
        plan = plan_named(table, Params(data, None, (), vectors=vectors_of(data, None)))
        for run in plan.runs(store):
            name = f"{run.corpus}, {run.model}"
            kept = store.training_folder(training_key(run.spec)).exists()
            if run.corpus not in CORPORA or not kept or name in named:
                continue
            named.add(name)
            yield name, partial(_of_a_paper, name, run.spec, store, texts)


def _of_a_paper(name: str, spec: RunSpec, store: Store, texts: int) -> dict[str, Any]:
    trained = train(spec, keep=partial(keep_training, store))
    return in_both_ways(name, trained, AuditOptions(seed=spec.seed), texts)


def of_a_transformer(data: Path, texts: int) -> Iterator[tuple[str, Audited]]:
    """Name attention sources of the pretrained transformer: joined heads, and drawn heads of its
    last layer and of another, whose weights take three times as long to replace.
    """
    heads = [*product(range(LAYERS), range(HEADS))]
    random.Random(SEED).shuffle(heads)
    last = [one for one in heads if one[0] == LAYERS - 1]
    others = [one for one in heads if one[0] < LAYERS - 1]
    drawn = (*last[:DRAWN], *others[:1])
    for source in (*JOINED, *(f"(layer={layer},head={head})" for layer, head in drawn)):
        yield f"sst, MiniLM{source}", partial(_under, source, data, texts)


def _under(source: str, data: Path, texts: int) -> dict[str, Any]:
    corpus = load(parse_data(f"sst:{data / 'sst'}"), SEED, training=False, kept=("test",))
    trained = join_with_data(f"hf:{data / 'models' / 'minilm-sst'}{source}", corpus, None)
    return in_both_ways(f"sst, MiniLM{source}", trained, AuditOptions(seed=SEED), texts)


def main() -> int:
    """Compare them, write the file, and say whether enough are the same."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="a file of JSON lines")
    parser.add_argument("--texts", type=int, default=TEXTS)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    one_look.FEW_WORDS = 0
    done = {row["name"] for row in read_lines(asked.out)}
    models = [
        *of_the_papers(Store(asked.store), asked.data, asked.texts),
        *of_a_transformer(asked.data, asked.texts),
    ]
    for name, audited in models:
        if name in done:
            continue
        row = audited()
        add_line(asked.out, row)
        done.add(name)
        print(line(row), flush=True)
    rows = read_lines(asked.out)
    write(OUT, rows, len(models), texts=asked.texts)
    return summed_up(rows)


if __name__ == "__main__":
    sys.exit(main())
