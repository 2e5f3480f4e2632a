"""An audit against what people run instead of it: one map of each text, by Captum, SHAP, or tested
by ICE.

    python benchmarks/against.py --model hf:DIR --data sst:DIR [--texts N] [--out FILE] [--only NAME]

Each runs in a process of its own, with one thread, on the same texts: seconds of its processor and
the most memory it held, the model, the texts and Python with it. SHAP and ICE are no part of the
project: without them their lines are left out. A line that `--out` has already is not made again.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from types import SimpleNamespace
from typing import Any

import torch

import sightline
from sightline.adapters.load_external import load_elsewhere
from sightline.config.spec_syntax import parse_data
from sightline.core.example import Example
from sightline.data.dataset import Dataset, sample_test
from sightline.data.load_dataset import load

STEPS, SETS, TOP = 50, 50, 0.2
"""Steps of integrated gradients, and random sets and share of words of ICE: their own usual ones."""


def main() -> None:
    """Run each tool in a process of its own, or be one of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--texts", type=int, default=100)
    parser.add_argument("--out", type=Path, help="a file of JSON lines to add to")
    parser.add_argument("--only", choices=TOOLS)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        print(json.dumps(taken(asked.only, asked)))
        return
    known = asked.out.read_text(encoding="utf-8") if asked.out and asked.out.exists() else ""
    done = {json.loads(line)["tool"] for line in known.splitlines()}
    for name in [asked.only] if asked.only else TOOLS:
        if name in done or ((needs := NEEDS.get(name)) and find_spec(needs) is None):
            continue
        line = json.dumps(in_a_process(name))
        print(line, flush=True)
        if asked.out:
            with asked.out.open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")


def in_a_process(name: str) -> dict[str, Any]:
    """Run one tool, and read what it took."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    called = [sys.executable, __file__, *sys.argv[1:], "--only", name, "--child"]
    done = subprocess.run(called, stdout=subprocess.PIPE, text=True, env=environment, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def taken(name: str, asked: argparse.Namespace) -> dict[str, Any]:
    """Run one tool on the texts, and say what it took."""
    torch.set_num_threads(1)
    data = sample_test(load(parse_data(asked.data), 0), asked.texts, 0)
    model = load_elsewhere(asked.model, "cpu")
    began = process_time()
    says = TOOLS[name](asked.model, model, data)
    return {
        "tool": name,
        "texts": len(data.test),
        "seconds": round(process_time() - began, 1),
        "mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000),
        "says": says,
    }


def audit(name: str, model: Any, data: Dataset) -> str:
    """Audit attention, by looks."""
    found = sightline.audit(name, data, max_texts=len(data.test))
    return str(found.headline)


def ablation(name: str, model: Any, data: Dataset) -> str:
    """Put padding in the place of each token, one by one."""
    from captum.attr import FeatureAblation  # noqa: PLC0415  (of an extra)

    def logits(ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = model.module(input_ids=ids, attention_mask=mask).logits
        return found

    method = FeatureAblation(logits)
    with torch.no_grad():
        for ids, mask, chosen in one_by_one(model, data.test):
            method.attribute(
                ids,
                baselines=model.reader.tokenizer.pad_token_id,
                target=chosen,
                additional_forward_args=(mask,),
                perturbations_per_eval=16,
            )
    return "a number a token"


def integrated(name: str, model: Any, data: Dataset) -> str:
    """Integrate gradients from padding to each token."""
    from captum.attr import LayerIntegratedGradients  # noqa: PLC0415  (of an extra)

    def logits(ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = model.module(
            input_ids=ids, attention_mask=mask.expand(len(ids), -1)
        ).logits
        return found

    method = LayerIntegratedGradients(logits, model.module.get_input_embeddings())
    for ids, mask, chosen in one_by_one(model, data.test):
        padding = torch.full_like(ids, model.reader.tokenizer.pad_token_id)
        method.attribute(
            ids,
            baselines=padding,
            target=chosen,
            additional_forward_args=(mask,),
            n_steps=STEPS,
            internal_batch_size=16,
        )
    return "a number a token"


def partition(name: str, model: Any, data: Dataset) -> str:
    """Take Shapley values over a tree of tokens, as SHAP does of texts unless it is asked
    otherwise.
    """
    import shap  # noqa: PLC0415  (no part of the project)

    tokenizer = model.reader.tokenizer

    def answer(texts: Sequence[str]) -> Any:
        given = tokenizer(list(map(str, texts)), return_tensors="pt", padding=True)
        with torch.no_grad():
            return model.module(**given).logits.numpy()

    explainer = shap.Explainer(answer, shap.maskers.Text(tokenizer))
    explainer([text.text for text in data.test], silent=True)
    return "a number a token"


def tested_by_ice(name: str, model: Any, data: Dataset) -> str:
    """Test the attention that is audited against random sets of tokens."""
    from ice import ICEConfig, ICEEvaluator  # noqa: PLC0415  (no part of the project)

    batches = [model.collate([text]) for text in data.test]
    shown = {tuple(one.ids[0].tolist()): model.trace(one).attention[0].tolist() for one in batches}
    config = ICEConfig(k_values=[TOP], n_permutations=SETS, operators="lite", device="cpu", seed=0)
    evaluator = ICEEvaluator(_Seen(model.module), model.reader.tokenizer, config)
    weights = SimpleNamespace(
        get_importance_scores=lambda ids, *_: torch.tensor(shown[tuple(ids.flatten().tolist())])
    )
    texts = [(one.ids[0], one.mask[0].long(), 0) for one in batches]
    with torch.no_grad():
        found = evaluator.evaluate_dataset(texts, weights, k=TOP, show_progress=False)
    return f"win rate {found.win_rate:.2f} over random sets, effect size {found.effect_size:.2f}"


class _Seen(torch.nn.Module):
    """A classifier as ICE asks it."""

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> SimpleNamespace:
        """Answer one text."""
        return SimpleNamespace(
            logits=self.module(input_ids=input_ids, attention_mask=attention_mask).logits
        )


def one_by_one(model: Any, texts: Sequence[Example]) -> Any:
    """Give the tokens of each text, and the class that the model predicts."""
    for text in texts:
        batch = model.collate([text])
        with torch.no_grad():
            chosen = int(model.logits(batch).argmax())
        yield batch.ids, batch.mask.long(), chosen


Tool = Callable[[str, Any, Dataset], str]
TOOLS: dict[str, Tool] = {
    "sightline": audit,
    "Captum FeatureAblation": ablation,
    "ICE": tested_by_ice,
    "Captum LayerIntegratedGradients": integrated,
    "SHAP partition": partition,
}
NEEDS = {"SHAP partition": "shap", "ICE": "ice"}
"""What a tool needs that is no part of the project."""


if __name__ == "__main__":
    main()
