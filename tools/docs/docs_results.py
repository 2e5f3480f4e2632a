"""Tables of counted results, from the files of ``docs/verified``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import docs_known_cases as known_cases
from docs_adversaries import ablations, adversaries
from docs_claims import all_findings, claims, claims_of, summary
from docs_few_words import few_words
from docs_information import information
from docs_other_settings import other_settings
from docs_outside import one_seed, outside
from docs_plausible import plausible
from docs_promises import chaos, fuzz, large, promises, repeats, resumed, shared
from docs_protocol import (
    amounts,
    authors_apart,
    corpora,
    corpora_differ,
    margins,
    stages,
    starts_run,
    vectors,
)
from docs_quality import metrics, metrics_counted, quality, scores_covered
from docs_real import real_texts, verdicts_by_corpus
from docs_reproduction import overview, paper_tables, runs_and_numbers
from docs_retained import retained
from docs_searched import farthest
from docs_settled import settled, settled_on_real_texts
from docs_tables import (
    ROOT,
    Stored,
    answered,
    gates,
    number,
    table,
    unfinished,
    verified,
    when_counted,
)
from docs_ties import rank_rules, ties
from docs_trained import trained
from docs_transformers import families, planted_heads, sst_bert

from sightline.studies.calibration.scenarios import CONFIRMED, SEEDS, WORLDS, Scenario
from sightline.studies.papers.published_values import PAPERS
from sightline.verdict.catalogue import AUDIT_TESTS
from sightline.verdict.verdict_table import TABLE

sys.path.insert(0, str(ROOT / "validation"))

import published
from tiny_berts import BERT_WORLDS


def cost_and_gates(stored: Stored) -> str:
    """Say how long a count took, and which gates failed."""
    return f"{_cost(stored)}\n{gates(stored, stored['cells'])}"


def worlds(stored: Stored, known: Sequence[Scenario] = WORLDS) -> str:
    """Table how often each row of the verdict applied."""
    rows = [tuple(_world(group)) for group in stored["groups"]]
    numbers = [f"row {row.number}" for row in TABLE]
    description = table(("world", "encoder", "accuracy", "runs", "right", *numbers), rows)
    right = {world.name: world for world in known}
    shown = dict.fromkeys(group["world"] for group in stored["groups"])
    about = table(
        ("scenario", "what is true", "right rows"),
        (_about(right[name]) for name in shown if name in right),
    )
    classes = table(("world", "encoder", "predicted", "runs", "right", "wrong"), _classes(stored))
    return "\n".join((description, about, "By predicted class:\n", classes))


def _classes(stored: Stored) -> Iterator[tuple[str, ...]]:
    """Give a row for each class of a scenario that has a right row."""
    for group in stored["groups"]:
        for name, counts in group.get("classes", {}).items():
            numbers = (str(counts[one]) for one in ("n", "right", "never"))
            yield group["world"], group["encoder"], name, *numbers


def rates() -> str:
    """Table how often the verdict is wrong in what matters most, on both sets of seeds."""
    rows = [
        (kind, seeds, str(next(iter(of.values()))["n"]), *map(_rate, of.values()))
        for seeds, name in COUNTS
        for kind, of in ((verified(name) or {}).get("rates") or {}).items()
    ]
    head = (
        "maps",
        "seeds",
        "runs",
        "can be shown",
        "with caveats",
        "must not be shown",
        "cannot tell",
    )
    return table(head, rows) if rows else "Not counted yet.\n"


COUNTS = (
    ("0 on", "worlds"),
    ("10,000 on, unseen", "worlds-confirmation"),
    ("10,000, by the rules of today", "worlds-again"),
)
"""The counts of the verdict, and the seeds of each."""


def _rate(one: Stored) -> str:
    if one["share"] is None:
        return "—"
    low, high = one["interval"]
    return f"{one['share']:.3f} [{low:.3f}, {high:.3f}]"


def worlds_counted() -> str:
    """Say how many of the planned runs in scenarios are counted, on both sets of seeds."""
    first, again = verified("worlds"), verified("worlds-confirmation")
    if first is None or again is None:
        return "Not counted yet: `validation/verify.py` counts them.\n"
    text = (
        f"**Counted are {first['cells']:,} of {first['planned']:,} planned runs, and "
        f"{again['cells']:,} of {again['planned']:,} on unseen seeds.**"
    )
    return (
        f"{text} Planned seeds of each scenario: {_planned(SEEDS)}; for the confirmation: "
        f"{_planned(CONFIRMED)}.\n"
    )


def _planned(seeds: Mapping[str, int]) -> str:
    return ", ".join(f"{number} with `{encoder}`" for encoder, number in seeds.items())


def berts_counted(stored: Stored) -> str:
    """Say how many of the planned runs of tiny BERTs are counted, and how often the verdict was
    wrong.
    """
    text = (
        f"**Counted are {stored['cells']:,} of {stored['planned']:,} planned runs of tiny "
        "BERTs.**\n"
    )
    head = ("maps", "runs", "can be shown", "with caveats", "must not be shown", "cannot tell")
    rows = [
        (kind, str(next(iter(of.values()))["n"]), *map(_rate, of.values()))
        for kind, of in stored["rates"].items()
    ]
    return f"{text}\n{table(head, rows)}"


def shown(stored: Stored) -> str:
    """Table how many runs of each scenario can be shown: for all classes, for all but one, for
    none.
    """
    head = (
        "world",
        "what is true",
        "accuracy",
        "runs",
        "every class in row 4",
        "all but one at most",
        "none",
    )
    counts = ("n_cells", "all", "but_one", "none")
    rows = [
        (
            one["world"],
            one["why"],
            number(one["accuracy_mean"]),
            *(str(one[name]) for name in counts),
        )
        for one in stored["rows"]
    ]
    return f"{table(head, rows)}\n{gates(stored, stored.get('done'))}"


def _cost(stored: Stored) -> str:
    first, last = stored["seeds"]
    versions = ", ".join(
        f"{name} {value}" for name, value in stored["environment"]["versions"].items()
    )
    text = (
        f"{stored['cells']:,} runs, seeds {first} to {last}, {stored['hours']:.1f} hours; "
        f"{versions}.\n"
    )
    return text + unfinished(stored, stored["cells"])


def _world(group: Stored) -> Iterator[str]:
    yield from (
        group["world"],
        group["encoder"],
        number(group["accuracy_mean"]),
        str(group["n_cells"]),
    )
    yield str(group["right"])
    yield from (str(group["rows"].get(str(row.number), {"count": 0})["count"]) for row in TABLE)


def _about(world: Scenario) -> tuple[str, ...]:
    rows = ", ".join(map(str, world.right)) or "none is promised"
    return world.name, world.why, rows + "".join(f"; not {code}" for code in world.false)


def coverage(stored: Stored) -> str:
    """Table how often an interval contained the truth: by estimate, shape of the scores and number
    of texts.
    """
    sizes = list(dict.fromkeys(row["n"] for row in stored["rows"]))
    held: dict[tuple[str, str], dict[int, str]] = {}
    for row in stored["rows"]:
        without = f", {row['without_interval']} without" if row["without_interval"] else ""
        held.setdefault((row["kind"], row["shape"]), {})[row["n"]] = f"{row['held']:.3f}{without}"
    text = f"{stored['repetitions']:,} repetitions of each, intervals at {stored['level']:g}.\n\n"
    rows = [(*names, *(each.get(n, "—") for n in sizes)) for names, each in held.items()]
    return (
        f"{text}{table(('of', 'effects', *(f'n = {n:,}' for n in sizes)), rows)}\n{gates(stored)}"
    )


def examples(stored: Stored) -> str:
    """Table each model of a worked example."""
    codes = list(dict.fromkeys(code for row in stored["rows"] for code in row["findings"]))
    rows = [_example(row, codes) for row in stored["rows"]]
    text = f"On `{stored['data']}`:\n\n" if "data" in stored else ""
    return text + table(("model", "accuracy", "τ gradient", "τ deletion", *codes), rows)


def _example(row: Stored, codes: Iterable[str]) -> list[str]:
    numbers = [number(row[key]) for key in ("accuracy", "tau_gradient", "tau_deletion")]
    name = f"{row['model']}: `{row['spec']}`" if "spec" in row else f"`{row['model']}`"
    return [name, *numbers, *(answered(row["findings"].get(code)) for code in codes)]


def example(code: str, stored: Stored) -> str:
    """Table a model for which a test passed, and one for which it did not, where there are
    examples.
    """
    rows = {row["model"]: row for row in stored["rows"]}
    if code not in stored["examples"]:
        return "None of the models fails it.\n"
    head = ("model", "number", "chance level", "score", "result")
    return table(
        head,
        (
            _one_way(rows[case["model"]]["findings"][code], case)
            for case in stored["examples"][code]
        ),
    )


def _one_way(found: Stored, case: Stored) -> tuple[str, ...]:
    name = f"{case['model']}, texts predicted {case['of']!r}" if case["of"] else case["model"]
    shown = found["by_class"][case["of"]] if case["of"] else found
    numbers = (number(shown.get(key)) for key in ("number", "floor", "effect"))
    texts = f", n = {shown['effect']['n']}" if "effect" in shown else ""
    return name, *numbers, f"{shown['answer']}{texts}"


def full_stop(stored: Stored) -> str:
    """Table the two guided models, onto the full stop and onto the evidence, a column each."""
    rows = [row for row in stored["rows"] if row["guide"]]
    lines: dict[str, list[str]] = {
        "accuracy": [number(row["accuracy"]) for row in rows],
        "attention on the full stop": [number(row["on_the_stop"]) for row in rows],
        **{code: [_effect(row, code) for row in rows] for code in rows[0]["findings"]},
        "**verdict**": [
            f"**{row['verdict']['text']}** (row {row['verdict']['row']})" for row in rows
        ],
        "by predicted class": [_by_class(row) for row in rows],
        **{f"carried by {name}": [_map(row, name) for row in rows] for name in _maps(rows)},
    }
    return table(
        ("", *(row["model"] for row in rows)), ((name, *cells) for name, cells in lines.items())
    )


def _by_class(row: Stored) -> str:
    return "; ".join(
        f"{of}: {one['text']} (row {one['row']})" for of, one in row["by_class"].items()
    )


def _effect(row: Stored, code: str) -> str:
    found = row["findings"][code]
    return f"{number(found.get('effect'))}, {found['answer']}"


def _maps(rows: Iterable[Stored]) -> list[str]:
    return list(dict.fromkeys(one["name"] for row in rows for one in row["maps"]))


def _map(row: Stored, name: str) -> str:
    """Write how much one map carries into another text, and whether the other half of the texts put
    it first.
    """
    found = next((one for one in row["maps"] if one["name"] == name), None)
    if found is None:
        return "—"
    return (
        f"{number(found['carried'])}, {found['answer']}{' (put first)' if found['chosen'] else ''}"
    )


def models(stored: Stored) -> str:
    """List the models of the examples, with their verdicts."""
    rows = [
        (
            row["model"],
            _made(row),
            number(row["accuracy"]),
            f"{row['verdict']['text']} (row {row['verdict']['row']})",
        )
        for row in stored["rows"]
    ]
    description = table(("model", "made by", "accuracy", "verdict"), rows)
    return f"On `{stored['data']}`:\n\n{description}"


def _made(row: Stored) -> str:
    guided = f", `fit.guide={row['guide']}`" if row["guide"] else ""
    return f"`{row['spec']}`{guided}" + (f", `altered={row['altered']}`" if row["altered"] else "")


def exact(stored: Stored) -> str:
    """Say how often each exact answer held, how far the search came, and the results of the models
    made by hand.
    """
    held = table(
        ("what must hold", "held"),
        ((one["name"], f"{one['count']:,} of {one['of']:,}") for one in stored["gates"]),
    )
    searched = stored["searched"]
    text = (
        f"{searched['texts']:,} texts of up to twenty tokens: the farthest attention is "
        f"{searched['exact_mean']:.3f} nats away on average, and the search with its five "
        f"starts reaches {searched['search_mean']:.3f}.\n"
    )
    codes = [code for code in stored["worlds"][0] if code != "world"]
    rows = (
        (
            one["world"],
            *(f"{one[c]['mean']:.2f} [{one[c]['least']:.2f}, {one[c]['most']:.2f}]" for c in codes),
        )
        for one in stored["worlds"]
    )
    worlds = table(
        (f"model by hand, {stored['seeds']} seeds: mean effect [least, most]", *codes), rows
    )
    return f"{held}\n{text}\n{worlds}"


def published_counts(stored: Stored) -> str:
    """Table the published corpora as counted here and as in each paper's table, and what their
    files held.
    """
    head = (
        "corpus",
        "recipe, or table",
        "train",
        "validation",
        "test",
        "words a text (train)",
        "vocabulary",
    )
    about = (
        "corpus",
        "found of the official number",
        "left out by the clean recipe",
        "against the papers",
    )
    return table(head, published.rows(stored)) + "\n" + table(about, published.found_rows(stored))


RESULTS: Mapping[str, Callable[[], str]] = {
    "counted: worlds": worlds_counted,
    "gates: worlds": when_counted("worlds", cost_and_gates),
    "gates: worlds confirmed": when_counted("worlds-confirmation", cost_and_gates),
    "gates: tiny berts": when_counted("tiny_berts", cost_and_gates),
    "gates: worlds again": when_counted("worlds-again", cost_and_gates),
    "table: worlds": when_counted("worlds", worlds),
    "table: worlds confirmed": when_counted("worlds-confirmation", worlds),
    "rates of the verdict": rates,
    "table: quality": when_counted("worlds", quality),
    "table: metrics": when_counted("metrics", metrics),
    "counted: metrics": when_counted("metrics", metrics_counted),
    "table: coverage": when_counted("coverage", coverage),
    "table: coverage of scores": when_counted("coverage", scores_covered),
    "counted: tiny berts": when_counted("tiny_berts", berts_counted),
    "table: tiny berts": when_counted("tiny_berts", partial(worlds, known=BERT_WORLDS)),
    "table: families": when_counted("families", families),
    "table: shown": when_counted("shown", shown),
    "table: planted heads": when_counted("planted_heads", planted_heads),
    "table: sst bert": when_counted("sst_bert", sst_bert),
    "table: exact": when_counted("exact", exact),
    "real: by corpus": when_counted("real", verdicts_by_corpus),
    "table: real": when_counted("real", real_texts),
    "counted: known cases": when_counted("known_cases", known_cases.right),
    "table: known cases": when_counted("known_cases", known_cases.cases),
    "table: attention sources": when_counted("known_cases", known_cases.sources),
    "table: seeds of an audit": when_counted("known_cases", known_cases.seeds),
    "table: trained": when_counted("trained", trained),
    "table: adversaries": when_counted("adversaries", adversaries),
    "table: retained": when_counted("retained", retained),
    "reproduction: summary": when_counted("reproduction", summary),
    "reproduction: claims": when_counted("reproduction", claims),
    "reproduction: findings": when_counted("reproduction", all_findings),
    "reproduction: ties": when_counted("ties", ties),
    "reproduction: rank rules": when_counted("rank_rules", rank_rules),
    "reproduction: other settings": when_counted("other_settings", other_settings),
    "reproduction: outside": when_counted("reproduction", outside),
    "reproduction: one seed": when_counted("reproduction", one_seed),
    "reproduction: overview": when_counted("reproduction", overview),
    "reproduction: corpora": when_counted("reproduction", runs_and_numbers),
    **{
        f"reproduction: corpora of {name}": when_counted(
            "reproduction", partial(runs_and_numbers, paper=name)
        )
        for name in PAPERS
    },
    **{
        f"reproduction: tables of {name}": when_counted(
            "reproduction", partial(paper_tables, paper=name)
        )
        for name in PAPERS
    },
    **{
        f"reproduction: claims of {name}": when_counted(
            "reproduction", partial(claims_of, paper=name)
        )
        for name in PAPERS
    },
    "protocol: corpora": corpora,
    "protocol: corpora differ": when_counted("reproduction", corpora_differ),
    "protocol: stages": stages,
    "protocol: amounts": amounts,
    "protocol: margins": margins,
    "protocol: authors apart": authors_apart,
    "protocol: vectors": when_counted("vectors", vectors),
    "protocol: starts": when_counted("reproduction", starts_run),
    "table: ablations": when_counted("ablations", ablations),
    "table: information": when_counted("information", information),
    "table: farthest": when_counted("farthest", farthest),
    "table: plausible": when_counted("plausible", plausible),
    "table: random-attention": when_counted("random_attention", examples),
    "table: full stop": when_counted("examples", full_stop),
    "table: models": when_counted("examples", models),
    **{f"example {code}": when_counted("examples", partial(example, code)) for code in AUDIT_TESTS},
    "table: published": when_counted("data", published_counts),
    "table: promises": promises,
    "table: chaos": when_counted("chaos", chaos),
    "table: shared": when_counted("shared", shared),
    "table: resumed": when_counted("resumed", resumed),
    "table: fuzz": when_counted("fuzz", fuzz),
    "table: large": when_counted("large", large),
    "table: notes": when_counted("notes", large),
    "table: repeats": when_counted("repeats", repeats),
    "table: settled": when_counted("settled", settled),
    "table: settled on real texts": when_counted("settled_real", settled_on_real_texts),
    "table: few words": when_counted("few_words", few_words),
}
"""The tables of results, by the name of their marker."""
