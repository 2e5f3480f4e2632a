"""The claims an audit tests: one literal row each, in the order in which they are told."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.findings.claim import Claim, Shown

_ROWS = (
    Claim(
        code="SL-001",
        text="attention is needed on this task",
        role="decides",
        caveat="the model does as well without choosing, so what it weighs explains little",
        kind="weakest drop",
        number="need",
        number_words="What the model loses (accuracy or F1) without its learned choice of words",
        floor_words="No loss",
        shown=(
            Shown("need.uniform.accuracy_drop", "accuracy lost with uniform weights put in", "drop"),
            Shown("need.permuted.accuracy_drop", "accuracy lost with the weights permuted", "drop"),
            Shown(
                "need.retrained.accuracy_drop",
                "accuracy lost against a model retrained with uniform attention",
                "drop",
            ),
            Shown("need.uniform.F1_drop", how="drop"),
            Shown("need.permuted.F1_drop", how="drop"),
            Shown("need.retrained.F1_drop", how="drop"),
        ),
    ),
    Claim(
        code="SL-101",
        text="the attended words are those the gradient says drive the output",
        role="decides",
        caveat="the highlighted words are not the ones the output is most sensitive to",
        kind="contrast",
        number="agreement.captured.gradient",
        floor="agreement.chance.gradient",
        draws="agreement.draws.gradient",
        number_words="The share of the gradient’s importance that the most attended words capture",
        floor_words="The share captured after permuting the weights after the fact",
        waits_on="SL-103",
        shown=(
            Shown("agreement.coupling.gradient", "coupling: shuffled weights, used for decoding"),
            Shown("agreement.captured.gradient_through", "with the gradient running through attention too"),
            Shown("agreement.tau.gradient", "Kendall’s τ-b over all words, as in the papers"),
            Shown("agreement.coupling_tau.gradient", "the same τ-b of shuffled weights, used for decoding"),
            Shown("agreement.chance.gradient_through"),
            Shown("agreement.tau.gradient_through"),
        ),
    ),
    Claim(
        code="SL-102",
        text="the attended words are those whose removal changes the output",
        role="decides",
        caveat="removing a highlighted word changes the output little more than removing another",
        kind="contrast",
        number="agreement.captured.deletion",
        floor="agreement.chance.deletion",
        draws="agreement.draws.deletion",
        number_words="The share of the deletion effect that the most attended words capture",
        floor_words="The share captured after permuting the weights after the fact",
        waits_on="SL-103",
        shown=(
            Shown("agreement.coupling.deletion", "coupling: shuffled weights, used for decoding"),
            Shown("agreement.tau.deletion", "Kendall’s τ-b over all words, as in the papers"),
            Shown("agreement.coupling_tau.deletion", "the same τ-b of shuffled weights, used for decoding"),
        ),
    ),
    Claim(
        code="SL-104",
        text="attention chose the words that carry the evidence",
        role="caveat",
        caveat="these words were weighted, but a random choice would look the same",
        kind="contrast",
        number="agreement.captured.free",
        floor="agreement.chance.free",
        draws="agreement.draws.free",
        number_words="The share that the most attended words capture of an importance measured without attention",
        floor_words="The share that shuffled weights capture",
        waits_on="SL-103",
        shown=(
            Shown("agreement.captured.free_gradient", "of the gradient alone"),
            Shown("agreement.chance.free_gradient", "its floor"),
            Shown("agreement.captured.free_deletion", "of deletion alone"),
            Shown("agreement.chance.free_deletion", "the floor of deletion"),
            Shown("agreement.tau.free_gradient"),
            Shown("agreement.tau.free_deletion"),
        ),
    ),
    Claim(
        code="SL-202",
        text="which word gets which weight matters",
        role="caveat",
        caveat="the same weights on other words would give much the same output",
        kind="contrast",
        number="permutation.ratio",
        floor="permutation.ratio_floor",
        number_words=(
            "How far permuting the weights moves the output, as a share of the farthest any permutation moves it"
        ),
        floor_words="The same for random weights that are as uneven",
        shown=(
            Shown("permutation.median", "median change over 100 permutations (total variation)"),
            Shown("permutation.median_error", "mean standard error of that median"),
            Shown("permutation.largest", "largest change that any permutation makes"),
            Shown("permutation.logit_variance", how="unbounded mean"),
        ),
    ),
    Claim(
        code="SL-301",
        text="removing the attended words changes the answer",
        role="decides",
        caveat="removing the highlighted words changes the answer no more than removing random ones",
        kind="contrast",
        number="erasure.area",
        floor="erasure.floor",
        number_words=(
            "What removing the attended words from the input takes from the probability of the predicted class"
        ),
        floor_words="What removing as many random words takes",
    ),
    Claim(
        code="SL-103",
        text="the references agree with each other",
        role="context",
        caveat="gradient and deletion point to different words, so neither can vouch for attention",
        kind="contrast",
        number="agreement.captured.references",
        floor="agreement.chance.references",
        number_words=(
            "The share of one reference’s importance that the top words of the other capture (gradient and deletion)"
        ),
        floor_words="The share that random words capture",
        shown=(Shown("agreement.tau.references", "Kendall’s τ-b over all words"),),
    ),
    Claim(
        code="SL-201",
        text="another attention could change the decision",
        role="context",
        caveat="on most texts no attention whatever would have changed the decision",
        kind="share without",
        number="reach.proof",
        number_words="The share of texts whose decision another attention could change",
        floor_words="None",
        shown=(
            Shown("reach.low", "largest change that any attention makes (total variation), at least"),
            Shown("reach.high", "and at most", drawn_with="reach.low"),
            Shown("reach.inert", "share of texts where it stays within ε", "share"),
        ),
    ),
)

CLAIMS: Mapping[str, Claim] = {row.code: row for row in _ROWS}
"""Every claim that an audit tests, by its code."""

UNMEASURED: Mapping[str, str] = {
    "SL-205": "whether the attended words hold the decision",
    "SL-302": "whether the attended words suffice",
    "SL-401": "whether more attended states know more about the label",
    "SL-402": "whether a state stands for its word",
}
"""Claims about attention that this version does not test; while SL-402 is among them, row 4 is out of reach."""
