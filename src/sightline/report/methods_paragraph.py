"""A methods paragraph for a paper, with its references: it says only what the audit really did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sightline.core.audited_map import ATTENTION, reword_for_map
from sightline.core.installation import DISTRIBUTION
from sightline.core.results import Results
from sightline.numerics.text_clusters import COUNT_AS_ONE
from sightline.report.number_format import count, level_of, texts
from sightline.report.provenance import card_name
from sightline.report.sentences import opened
from sightline.verdict.audit_clusters import clusters_of
from sightline.verdict.catalogue import AUDIT_TESTS

WORKS = {
    "Jain & Wallace 2019": (
        "Jain, S., & Wallace, B. C. (2019). Attention is not Explanation. NAACL-HLT 2019."
    ),
    "Wiegreffe & Pinter 2019": (
        "Wiegreffe, S., & Pinter, Y. (2019). Attention is not not Explanation. EMNLP-IJCNLP 2019."
    ),
    "Serrano & Smith 2019": (
        "Serrano, S., & Smith, N. A. (2019). Is Attention Interpretable? ACL 2019."
    ),
    "Hassid et al. 2022": (
        "Hassid, M., Peng, H., Rotem, D., Kasai, J., Montero, I., Smith, N. A., & Schwartz, "
        "R. (2022). How Much Does Attention Actually Attend? Questioning the Importance of "
        "Attention in Pretrained Transformers. Findings of EMNLP 2022."
    ),
    "DeYoung et al. 2020": (
        "DeYoung, J., Jain, S., Rajani, N. F., Lehman, E., Xiong, C., Socher, R., & Wallace, "
        "B. C. (2020). ERASER: A Benchmark to Evaluate Rationalized NLP Models. ACL 2020."
    ),
    "Tutek & Šnajder 2020": (
        "Tutek, M., & Šnajder, J. (2020). Staying True to Your Word: (How) Can Attention "
        "Become Explanation? RepL4NLP 2020."
    ),
    "Meister et al. 2021": (
        "Meister, C., Lazov, S., Augenstein, I., & Cotterell, R. (2021). Is Sparse Attention "
        "more Interpretable? ACL-IJCNLP 2021."
    ),
    "Wen et al. 2022": (
        "Wen, B., Subbalakshmi, K. P., & Yang, F. (2022). Revisiting Attention Weights as "
        "Explanations from an Information Theoretic Perspective. arXiv:2211.07714."
    ),
}
"""The references that the paragraph may cite, in full, by the citation."""

_PARTS = {
    "Its attention is sparse, as in Meister et al. 2021.": ("sparsemax", "sparsegen"),
    "Parts of it are as in Wen et al. 2022.": ("gumbel", "deep"),
    "Its hidden states were kept near their words, as in Tutek & Šnajder 2020.": ("tying",),
}
"""Sentences for models that have one of these parts."""

_ASKED = {
    "transplant": (
        "The most attended words were moved into texts of another class, to see how much of "
        "the prediction they take along."
    ),
    "erasure": (
        "The most attended words were deleted, and replaced by words of other texts, and the "
        "loss of the predicted class’s log-odds was compared with that for random words "
        "(after the comprehensiveness of DeYoung et al. 2020)."
    ),
    "agreement": (
        "Attention was compared with gradients and with leave-one-out (Jain & Wallace 2019)."
    ),
    "polarity": (
        "The share of the most attended words that do not speak against the prediction was "
        "compared with the share among all words."
    ),
    "signs": "Weight × logit gave what each word adds to the logit of the predicted class.",
    "marks": "The attention on punctuation and special tokens was compared with uniform attention.",
    "own_word": (
        "How well the logits of each token follow from its word in other texts was compared "
        "with how well they follow from the rest of its text (the question of Tutek & Šnajder "
        "2020)."
    ),
    "mixing": (
        "Gradients measured how evenly the importance of the words for each hidden state is "
        "spread, and the share of the state’s own word (Meister et al. 2021)."
    ),
    "mixing_otherwise": (
        "The same was measured by deleting each word, and by the gradients of all elements of "
        "a hidden state (Meister et al. 2021)."
    ),
    "rationale": (
        "How well each map finds the rationale was measured as context, and decided nothing "
        "(after DeYoung et al. 2020)."
    ),
    "state_agreement": (
        "Attention was compared with the importance of inputs and of hidden states, by "
        "gradients through the weights and by removal, with shuffled and used weights as a "
        "baseline (Meister et al. 2021)."
    ),
    "need": "Learned weights were replaced by uniform and permuted ones (Tutek & Šnajder 2020).",
    "permutation": (
        "How far a permutation of its weights moves the output was measured on each text "
        "(Jain & Wallace 2019)."
    ),
    "searched": (
        "Other attention with the same output was searched for on each text, by gradient and "
        "by mixing pairs of words (after Jain & Wallace 2019)."
    ),
    "reach": (
        "How far any attention could move each prediction was bounded (the question of Jain & "
        "Wallace 2019)."
    ),
    "flips": (
        "The smallest sets of weights were found whose removal flips each prediction, and how "
        "many more the order of attention needs (the question of Serrano & Smith 2019)."
    ),
    "sufficiency": (
        "Only the most attended words were kept, and the remaining log-odds of the predicted "
        "class were compared with the log-odds for random words (after the sufficiency of "
        "DeYoung et al. 2020)."
    ),
    "retrained": (
        "The model was compared with one trained in the same way under uniform attention "
        "(Wiegreffe & Pinter 2019)."
    ),
    "beside": (
        "Its weights and predictions were compared with those of control models (Wiegreffe "
        "& Pinter 2019)."
    ),
    "layers": (
        "In each layer in turn all weights were replaced by uniform ones, and by their mean "
        "over the texts, without training the model again (after Hassid et al. 2022)."
    ),
    "information": (
        "Probes scored on unseen texts how well hidden states predict the label, by the rank "
        "of their attention; the published estimate was computed, too (after Wen et al. 2022)."
    ),
    "token_evidence": (
        "How sure the model would be from one word alone was measured on texts that it predicts "
        "correctly (Tutek & Šnajder 2020)."
    ),
    "input_information": (
        "How much its hidden states still know of their words was counted, and scored by a "
        "linear probe on held-out texts (after Tutek & Šnajder 2020)."
    ),
    "input_information_drawn": (
        "The same was measured on randomly drawn words, frequent ones more often."
    ),
    "frozen": ("The model was compared with one trained with random, frozen attention."),
}
"""What each measure does, if it was taken."""


_IN_SOME_DATA = ("marks", "rationale")
"""Measures of something that texts may lack: punctuation, and rationales."""

_SET = {
    False: "set beforehand on synthetic texts",
    True: "given by the question of the test",
}
"""Where a threshold comes from, by whether the test fixes it."""


def methods(audit: Results, trainings: int = 1) -> str:
    """Write the paragraph from the audit, which may be the first of several trainings."""
    return " ".join(_sentences(audit, trainings))


def works(audit: Results) -> list[str]:
    """List the references of the paragraph in full, with this software first."""
    description = methods(audit)
    return [_software(audit), *(whole for short, whole in WORKS.items() if short in description)]


def _software(audit: Results) -> str:
    """Cite the version that made the audit, with the author and the title of ``CITATION.cff``."""
    version = _inside(audit.environment, "versions", "sightline")
    return (
        f"The sightline authors. sightline{version and f' {version}'} ({DISTRIBUTION}). Software."
    )


def _sentences(audit: Results, trainings: int) -> Iterator[str]:
    taken = audit.taken
    by = f"sightline {_inside(audit.environment, 'versions', 'sightline')}".rstrip()
    model = _inside(audit.cards, "model", "name") or "the model"
    noun = audit.verdict.of_map
    shown = "the attention weights" if noun == ATTENTION else noun
    yield (
        f"We audited with {by} whether {shown} of {model} {'explain' if noun == ATTENTION else 'explains'} "
        f"its predictions, on {_on(audit)}."
    )
    yield from _chosen(audit)
    parts = {part.partition("(")[0] for part in str(audit.spec.get("model", "")).split("+")}
    yield from (label for label, names in _PARTS.items() if parts & set(names))
    asked = (label for code, label in _ASKED.items() if code in taken and _found(audit, code))
    yield from (reword_for_map(_agreement_alone(label, audit), noun) for label in asked)
    if any(row.signed for row in audit.maps):
        yield (
            "Signed maps, which say which words speak for the predicted class, were compared "
            "only with each other."
        )
    if "agreement" in taken and taken["agreement"].settings.get("gradient") == "norm":
        yield "The norm of each gradient was taken (Meister et al. 2021)."
    yield from _judged(audit, trainings)


def _agreement_alone(label: str, audit: Results) -> str:
    """Say only what was compared if a model has no gradients or leave-one-out is audited."""
    taken = audit.taken.get("agreement")
    usual = audit.verdict.of_map == ATTENTION or label != _ASKED["agreement"]
    if usual or taken is None:
        return label
    compared = "leave-one-out" if "captured.deletion" in taken.values else "no other map"
    return f"Attention was compared with {compared} (after Jain & Wallace 2019)."


def _found(audit: Results, code: str) -> bool:
    """Check whether the data had what a measure is about."""
    if code not in _IN_SOME_DATA:
        return True
    return any(name.startswith(f"{code}.") and one.n for name, one in audit.estimates.items())


def _on(audit: Results) -> str:
    """Say how many texts of which data there were, and whether they were held out."""
    data = card_name(audit, "data")
    of = f" of {data}" if data else ""
    return f"{texts(len(audit.texts))}{of}{' that were held out' if 'run' in audit.spec else ''}"


def _chosen(audit: Results) -> Iterator[str]:
    """Say how texts were split, and how the audited texts were sampled from the test texts."""
    card = audit.cards.get("data", {})
    splits = [note for note in card.get("notes", ()) if "split" in note or "every row" in note]
    if splits:
        yield f"{opened('; '.join(splits))}."
    sample = card.get("sample")
    if sample:
        yield (
            f"The audited texts are a sample of the {texts(sample['of'])} to test on, drawn with "
            f"seed {sample['seed']}."
        )


def _judged(audit: Results, trainings: int) -> Iterator[str]:
    """Say how scores became results, and which seed was used."""
    deltas: dict[bool, list[str]] = {False: [], True: []}
    for one in audit.findings:
        if one.bears and one.score and one.threshold:
            fixed = one.code in AUDIT_TESTS and AUDIT_TESTS[one.code].fixed is not None
            deltas[fixed].append(f"{one.code} {one.threshold:g}")
    if any(deltas.values()):
        level = level_of(one.score for one in audit.findings if one.bears)
        beforehand = " or ".join(
            f"{how} ({', '.join(deltas[fixed])})" for fixed, how in _SET.items() if deltas[fixed]
        )
        yield (
            f"Each score was compared, with its {level} % interval over {_units(audit)}, with its threshold, "
            f"{beforehand}; intervals by predicted "
            "class were corrected for the number of classes."
        )
    if "seed" in audit.spec:
        runs = (
            "there was one training run"
            if trainings == 1
            else f"{trainings} trainings from different seeds were audited in the same way"
        )
        yield f"Everything random in the audit followed from seed {audit.spec['seed']}; {runs}."


def _units(audit: Results) -> str:
    """Name what intervals are over: texts, or fewer of them where some count as one."""
    clusters = clusters_of(audit)
    if clusters is None or (n := len(np.unique(clusters))) == len(audit.texts):
        return "texts"
    return f"{count(n)} independent texts ({COUNT_AS_ONE})"


def _inside(values: Any, *names: str) -> str:
    """Read a nested setting that may be missing."""
    for name in names:
        values = values.get(name) if isinstance(values, Mapping) else None
    return "" if values is None else str(values)
