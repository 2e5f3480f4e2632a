"""How often the verdict on tiny BERTs is right where the truth is known: the scenarios of the
calibration, trained here.

Each is a `BertForSequenceClassification` of Hugging Face transformers, 32 wide, with one or two
layers, trained on planted texts and audited through the adapter like any other model. Scenarios,
right rows and criteria are those of `sightline.studies.calibration.scenarios`. Training decides
whether a map is right or wrong:

* With **one layer** [CLS] sees words through one attention alone, and the state of a word holds that word and its
  place. Guided onto the evidence, the map is right.
* With **two layers** the first one can bring the evidence to other words. Guided away from the evidence, or onto the
  first or the last word, the map of the last layer misleads.
* **Two heads** of one layer: the first is guided onto the evidence, the second away from it. The
  first gives the reason, the second does not.
* The changes of `sightline.models.alterations` and `sightline.models.attacks` show another map of such a model, or make
  it cheat.

A run is a folder of the store: the saved audit, with a record file next to it once it is whole.
Trainings are kept, too.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from checkout import ROOT, tell

import sightline
from sightline._io.atomic_write import write_whole
from sightline.audits.audit_result import Audit
from sightline.config.spec_syntax import parse_data
from sightline.config.specs import MEANING, FitSpec, Guide
from sightline.core.example import Example
from sightline.core.seeds import seed_for
from sightline.data.dataset import Dataset
from sightline.experiments.store import Conclusion, Summary
from sightline.measures.default_measures import default_measures
from sightline.models.alterations import alter
from sightline.studies.calibration.scenarios import (
    CAN,
    MISLED,
    MUST_NOT,
    TRAINING,
    WORLDS,
    Run,
    Scenario,
    check_promises,
    count_runs,
)

sys.path.insert(0, str(ROOT))  # the tokenizer is made as in the tests
SEEDS = 10
RATE, BATCH, WIDTH, LONGEST = 3e-3, 32, 32, 128
REST = {
    "intermediate_size": 2 * WIDTH,
    "initializer_range": 0.1,
    "max_position_embeddings": LONGEST,
}
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
ONE, TWO = "bert, 1 layer", "bert, 2 layers"
LAYERS: Mapping[str, int] = {ONE: 1, TWO: 2}
BOTH, DEEP = {name: name for name in LAYERS}, {TWO: TWO}
FLAT = {ONE: ONE}
LEFT_OUT = "permutation"
"""SL-202 is left out, as before all heads were shuffled at once (decision 0096), so that all runs
are counted in the same way; no row reached here looks at it."""
NOT_HERE = {
    "needle, 120 words": "long texts take long",
    "takeover, 60 words, gain 1000 above 0.6": "long texts take long",
    "detector, 2 %": "eight test texts of the rare class",
    "found alone": "of an MLP",
    "not guided": "nothing is promised",
    "frozen by word": "no source of attention",
    "random by text": "no source of attention",
    "every word is evidence": "nothing but row 4 is promised",
}
"""Scenarios of the calibration that are left out, and why."""


@dataclass(frozen=True)
class Planted:
    """A scenario of tiny BERTs: where each head is guided (or the mean of heads, if none is named),
    and which is shown.
    """

    world: Scenario
    guides: Mapping[int | None, Guide] = field(default_factory=dict)
    head: int | None = None


def _planted(world: Scenario) -> Planted:
    """Convert a scenario of the calibration; its encoders that mix words become BERTs of two
    layers.
    """
    says = (
        {} if world.altered == "rationale" else world.says
    )  # weights of the mean of heads cannot be put back
    models = BOTH if "mlp" in world.models else DEEP
    guides: Mapping[int | None, Guide] = {None: world.guide} if world.guide else {}
    return Planted(replace(world, models=models, says=says), guides)


_HEADS: Mapping[int | None, Guide] = {0: "onto", 1: "away"}
PLANTED = (
    *(_planted(world) for world in WORLDS if world.name not in NOT_HERE),
    Planted(
        Scenario(
            "the head on the evidence",
            "the other head attends to fillers",
            CAN,
            MUST_NOT,
            models=FLAT,
        ),
        _HEADS,
        0,
    ),
    Planted(
        Scenario(
            "the head on fillers", "the other head carries the evidence", MUST_NOT, CAN, models=FLAT
        ),
        _HEADS,
        1,
    ),
)
BERT_WORLDS = tuple(one.world for one in PLANTED)


@dataclass(frozen=True)
class Planned:
    """One run: its scenario and encoder, and its seed."""

    planted: Planted
    encoder: str
    seed: int

    @property
    def label(self) -> tuple[str, str, str]:
        """The scenario, the encoder and the seed, named as in
        `sightline.studies.calibration.scenarios`.
        """
        return self.planted.world.name, self.encoder, str(self.seed)

    @property
    def training(self) -> dict[str, Any]:
        """Everything that the training depends on."""
        world, guides = (
            self.planted.world,
            {str(head): guide for head, guide in self.planted.guides.items()},
        )
        shape = {
            "layers": LAYERS[self.encoder],
            "heads": max(1, len(guides)),
            "width": WIDTH,
            **REST,
            **NO_DROPOUT,
        }
        fit = asdict(self.fit)
        how = {"rate": RATE, "batch": BATCH, "fit": fit, "guides": guides}
        return {"data": f"planted:{world.data}", "seed": self.seed, "shape": shape, **how}

    @property
    def fit(self) -> FitSpec:
        """The length of the training and the strength of its guide, as for the encoders of the
        calibration.
        """
        away = {"away", "last", "first"} & set(
            self.planted.guides.values()
        ) and self.planted.head is None
        return MISLED if away else TRAINING

    @property
    def training_key(self) -> str:
        """The hash of everything the training depends on."""
        return _named(self.training)

    @property
    def key(self) -> str:
        """The hash of everything the run depends on, the settings of the audit included."""
        world = self.planted.world
        audit = {
            "meaning": MEANING,
            "without": LEFT_OUT,
            "altered": world.altered,
            "limit": world.limit,
            "head": self.planted.head,
        }
        return _named({"training": self.training, "audit": audit})


def planned(seeds: int = SEEDS) -> list[Planned]:
    """List the runs seed by seed."""
    return [
        Planned(one, encoder, seed)
        for seed in range(seeds)
        for one in PLANTED
        for encoder in one.world.models
    ]


def tiny_berts(flags: argparse.Namespace) -> Mapping[str, Any] | None:
    """Make the runs that the store lacks, and count the finished ones."""
    store, runs = Berts(flags.store), planned(min(flags.seeds or SEEDS, SEEDS))
    todo = [one for one in runs if not store.has(one)]
    print(f"tiny_berts: {len(runs)} runs, {len(todo)} to run", file=sys.stderr)
    if flags.dry_run or (flags.so_far and len(todo) == len(runs)):
        return None
    for number, one in enumerate([] if flags.so_far else todo):
        store.make(one)
        tell(number + 1, len(todo))
    done = [one for one in runs if store.has(one)]
    seconds = [store.summary(one).seconds for one in done]
    hours = round(sum(seconds) / len(seconds) * (len(runs) - len(done)) / 3600, 1)
    description = count_runs(
        BERT_WORLDS, [Run(one.label, store.summary(one), partial(store.audit, one)) for one in done]
    )
    groups = description.pop("rows")
    about = {
        "environment": dict(store.audit(done[0]).environment),
        "hours": round(sum(seconds) / 3600, 2),
    }
    return {
        **description,
        **check_promises(BERT_WORLDS, groups),
        **about,
        "planned": len(runs),
        "hours_left": hours,
    }


class Berts:
    """Runs and trainings under one folder; whatever exists there is whole."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def _folder(self, one: Planned) -> Path:
        return self.root / "runs" / one.key

    def _record(self, one: Planned) -> Path:
        return self.root / "runs" / f"{one.key}.json"

    def has(self, one: Planned) -> bool:
        """Whether a run is done; its record is written last."""
        return self._record(one).exists()

    def audit(self, one: Planned) -> Audit:
        """Read the whole audit of a run."""
        return Audit.load(self._folder(one))

    def summary(self, one: Planned) -> Summary:
        """Give the verdict and the tests of a run."""
        record = json.loads(self._record(one).read_text("utf-8"))
        audit = self.audit(one)
        findings = {
            finding.code: Conclusion(finding.result, finding.score) for finding in audit.findings
        }
        about = (one.key, f"planted:{one.planted.world.data}", one.encoder, one.seed)
        rows = {name: said.row for name, said in audit.verdict.by_class.items()}
        said = (audit.verdict.level, findings, dict(audit.metrics), audit.verdict.row, rows)
        return Summary(*about, "done", record["seconds"], "", *said)

    def make(self, one: Planned) -> None:
        """Do a run."""
        began = time.process_time()
        data = sightline.load(parse_data(f"planted:{one.planted.world.data}"), one.seed)
        module, tokenizer = self.trained(one, data)
        shown = {} if one.planted.head is None else {"layer": 0, "head": one.planted.head}
        model = alter(
            one.planted.world.altered,
            sightline.transformer(module, tokenizer, **shown),
            data,
            one.seed,
        )
        measures = [measure for measure in default_measures() if measure.code != LEFT_OUT]
        audit = sightline.audit(
            model, data, seed=one.seed, limit=one.planted.world.limit, measures=measures
        )
        audit.save(self._folder(one))
        record = {"label": one.label, "seconds": round(time.process_time() - began, 1)}
        write_whole(
            self._record(one), lambda aside: aside.write_text(json.dumps(record), encoding="utf-8")
        )

    def trained(self, one: Planned, data: Dataset) -> tuple[Any, Any]:
        """Give the model of a run with its tokenizer, trained if the store lacks it."""
        from tests.adapters.huggingface.toys import whole_words  # noqa: PLC0415  (transformers)

        tokenizer = whole_words(
            list(dict.fromkeys(word for text in data.train for word in text.tokens))
        )
        tokenizer.model_max_length = LONGEST
        torch.manual_seed(seed_for(one.seed, "tiny bert", 0))
        module = _module(one, data, tokenizer)
        kept = self.root / "trainings" / f"{one.training_key}.pt"
        if not kept.exists():
            best = _fitted(one, module, tokenizer, data)
            write_whole(kept, lambda aside: torch.save(best, aside))
        module.load_state_dict(torch.load(kept, weights_only=True))
        return module.eval(), tokenizer


def _module(one: Planned, data: Dataset, tokenizer: Any) -> Any:
    from transformers import BertConfig, BertForSequenceClassification  # noqa: PLC0415  (an extra)

    shape = one.training["shape"]
    sizes = {
        "num_hidden_layers": shape["layers"],
        "num_attention_heads": shape["heads"],
        "hidden_size": WIDTH,
    }
    words = {"vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id}
    labels = {"id2label": dict(enumerate(data.label_names))}
    config = BertConfig(
        **sizes, **words, **labels, **REST, **NO_DROPOUT, attn_implementation="eager"
    )
    return BertForSequenceClassification(config)


def _fitted(one: Planned, module: Any, tokenizer: Any, data: Dataset) -> Mapping[str, torch.Tensor]:
    """Train, and return the weights of the epoch with the least loss on validation texts."""
    fit, optimiser = one.fit, torch.optim.AdamW(module.parameters(), lr=RATE)
    best, least, since = copy.deepcopy(module.state_dict()), float("inf"), 0
    for _ in range(fit.epochs):
        module.train()
        for rows in torch.randperm(len(data.train)).split(BATCH):
            some = [data.train[row] for row in rows.tolist()]
            loss = _loss(module, tokenizer, some, one.planted.guides, fit.guide_weight)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        module.eval()
        with torch.no_grad():
            found = float(_loss(module, tokenizer, data.validation, {}, 0.0))
        since += 1
        if found < least:
            best, least, since = copy.deepcopy(module.state_dict()), found, 0
        elif since >= fit.patience:
            break
    return best


def _loss(
    module: Any,
    tokenizer: Any,
    texts: Sequence[Example],
    guides: Mapping[int | None, Guide],
    weight: float,
) -> torch.Tensor:
    """Give the mean loss of some texts, with the term of each guide: −λ log of the attention where
    it is wanted.
    """
    read = tokenizer(
        [text.text for text in texts], padding=True, truncation=True, return_tensors="pt"
    )
    answer = module(**read, output_attentions=bool(guides))
    loss = torch.nn.functional.cross_entropy(
        answer.logits, torch.tensor([text.label for text in texts])
    )
    for head, guide in guides.items():
        heads = answer.attentions[-1][:, :, 0]  # how [CLS] attends in the last layer
        attention = heads.mean(dim=1) if head is None else heads[:, head]
        wanted = _wanted(texts, guide, attention.shape[1])
        mass = (attention * wanted).sum(dim=1).clamp(min=torch.finfo(attention.dtype).tiny)
        loss = loss - weight * (mass.log() * wanted.any(dim=1)).mean()
    return loss


def _wanted(texts: Sequence[Example], guide: Guide, width: int) -> torch.Tensor:
    """Mark the tokens of a guide; word i of a text is token i + 1, and a text without marks has no
    guide.
    """
    out = torch.zeros(len(texts), width, dtype=torch.bool)
    for row, text in enumerate(texts):
        for word in _words(text, guide):
            out[row, word + 1] = True
    return out


def _words(text: Example, guide: Guide) -> Iterator[int]:
    count, marks = len(text.tokens), text.rationale or ()
    if guide in ("first", "last"):
        yield 0 if guide == "first" else count - 1
    elif any(marks):
        yield from (word for word in range(count) if marks[word] == (guide == "onto"))


def _named(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
