"""The claims an audit tests: one literal row each, in the order in which they are told."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.findings.claim import Claim, Shown, Untested

SIGNIFICANT = "share of texts whose τ-b is significant, p ≤ .05 over permutations of the words (at most 0.05 by chance)"

_ROWS = (
    Claim(
        code="SL-303",
        text="the highlighted words carry the decision with them",
        caveat="moved into another text, the highlighted words leave the decision behind",
        below="moved into another text, the highlighted words carry less of the decision than random words do",
        kind="pairs",
        number="transplant.carried.attention",
        floor="transplant.random.attention",
        ceiling="transplant.whole",
        number_words="The part of the decision that the highlighted words carry into a text decided otherwise",
        floor_words="The part that as many random words carry",
        charge="moved",
        for_caveats="supported",
        for_all="supported",
    ),
    Claim(
        code="SL-301",
        text="removing the highlighted words changes the answer",
        caveat="removing the highlighted words changes the answer little more than removing random ones",
        below="removing the highlighted words changes the answer less than removing random ones",
        kind="two operators",
        number="erasure.deleted.attention",
        floor="erasure.deleted.random",
        ceiling="erasure.deleted.most",
        second=("erasure.replaced.attention", "erasure.replaced.random", "erasure.replaced.most"),
        number_words="What the log-odds of the decision lose when the highlighted words are deleted",
        floor_words="What they lose without as many random words",
        charge="alone",
        for_caveats="not contradicted",
        for_all="supported",
        shown=(
            Shown(
                "erasure.deleted.most", "what they lose without the words whose deletion matters most", "unbounded mean"
            ),
            Shown(
                "erasure.replaced.attention", "what they lose when the highlighted words are replaced", "unbounded mean"
            ),
            Shown("erasure.replaced.random", "when as many random words are replaced", "unbounded mean"),
            Shown("erasure.replaced.most", "when the words that matter most are replaced", "unbounded mean"),
            Shown("erasure.area", "comprehensiveness as published: what the probability loses"),
            Shown("erasure.floor", "the same without random words"),
        ),
    ),
    Claim(
        code="SL-101",
        text="the attended words are those the gradient says drive the output",
        caveat="the highlighted words are not the ones the output is most sensitive to",
        below="the highlighted words are those the output is less sensitive to than to random ones",
        kind="contrast",
        number="agreement.captured.gradient",
        floor="agreement.chance.gradient",
        draws="agreement.draws.gradient",
        number_words="The share of the gradient’s importance that the most attended words capture",
        floor_words="The share captured after permuting the weights after the fact",
        charge="together",
        for_caveats="one of these",
        for_all="one of these",
        plain="the highlighted words are the ones the output is most sensitive to",
        shown=(
            Shown("agreement.mass.gradient", "importance of a word drawn by its weight, over that of the first word"),
            Shown("agreement.mass_chance.gradient", "the same for a word drawn at random"),
            Shown("agreement.coupling.gradient", "coupling: shuffled weights, used for decoding"),
            Shown("agreement.captured.gradient_through", "with the gradient running through attention too"),
            Shown("agreement.tau.gradient", "Kendall’s τ-b over all words, as in the papers"),
            Shown("agreement.significant.gradient", SIGNIFICANT, how="share"),
            Shown("agreement.coupling_tau.gradient", "the same τ-b of shuffled weights, used for decoding"),
            Shown("agreement.chance.gradient_through"),
            Shown("agreement.tau.gradient_through"),
        ),
    ),
    Claim(
        code="SL-102",
        text="the attended words are those whose removal changes the output",
        caveat="removing a highlighted word changes the output little more than removing another",
        below="removing a highlighted word changes the output less than removing another",
        kind="contrast",
        number="agreement.captured.deletion",
        floor="agreement.chance.deletion",
        draws="agreement.draws.deletion",
        number_words="The share of the deletion effect that the most attended words capture",
        floor_words="The share captured after permuting the weights after the fact",
        charge="together",
        for_caveats="one of these",
        for_all="one of these",
        plain="removing a highlighted word changes the output more than removing another",
        shown=(
            Shown("agreement.mass.deletion", "importance of a word drawn by its weight, over that of the first word"),
            Shown("agreement.mass_chance.deletion", "the same for a word drawn at random"),
            Shown("agreement.coupling.deletion", "coupling: shuffled weights, used for decoding"),
            Shown("agreement.tau.deletion", "Kendall’s τ-b over all words, as in the papers"),
            Shown("agreement.significant.deletion", SIGNIFICANT, how="share"),
            Shown("agreement.coupling_tau.deletion", "the same τ-b of shuffled weights, used for decoding"),
        ),
    ),
    Claim(
        code="SL-104",
        text="the attended words carry this model’s evidence, whatever the weights at decoding",
        caveat="the attended words hold little more of the model’s evidence than a random choice would",
        below="attention lies on words with less evidence than chance",
        kind="contrast",
        number="agreement.captured.free",
        floor="agreement.chance.free",
        draws="agreement.draws.free",
        second=("types.free",),
        number_words="The share that the most attended words capture of an importance measured without attention",
        floor_words="The share that shuffled weights capture",
        charge="below zero",
        for_all="supported",
        waits_on="SL-103",
        plain="the highlighted words hold the evidence that this model goes by",
        shown=(
            Shown("types.free", "the share that weights permuted over the vocabulary capture"),
            Shown("agreement.mass.free", "importance of a word drawn by its weight, over that of the first word"),
            Shown("agreement.mass_chance.free", "the same for a word drawn at random"),
            Shown("agreement.captured.free_gradient", "of the gradient alone"),
            Shown("agreement.chance.free_gradient", "its floor"),
            Shown("agreement.captured.free_deletion", "of deletion alone"),
            Shown("agreement.chance.free_deletion", "the floor of deletion"),
            Shown("agreement.tau.free_gradient"),
            Shown("agreement.tau.free_deletion"),
        ),
    ),
    Claim(
        code="SL-001",
        text="attention is needed on this task",
        caveat="this task needs no attention: the model does about as well without choosing",
        kind="weakest drop",
        number="need",
        number_words="What the model loses (accuracy or F1) without its learned choice of words",
        floor_words="No loss",
        for_all="supported",
        plain="the model needs to choose among the words for this task",
        shown=(
            Shown("need.uniform.accuracy_drop", "accuracy lost with uniform weights put in", "drop"),
            Shown("need.constant.accuracy_drop", "accuracy lost with the same weights for every text", "drop"),
            Shown("need.permuted.accuracy_drop", "accuracy lost with the weights permuted", "drop"),
            Shown(
                "need.retrained.accuracy_drop",
                "accuracy lost against a model retrained with uniform attention",
                "drop",
            ),
            Shown("need.uniform_odds", "log-odds of the decision lost with uniform weights", "unbounded mean"),
            Shown("need.constant_odds", "with the same weights for every text", "unbounded mean"),
            Shown("need.permuted_odds", "with the weights permuted", "unbounded mean"),
            Shown("need.uniform.F1_drop", how="drop"),
            Shown("need.constant.F1_drop", how="drop"),
            Shown("need.permuted.F1_drop", how="drop"),
            Shown("need.retrained.F1_drop", how="drop"),
        ),
    ),
    Claim(
        code="SL-105",
        text="the highlighted words speak for the decision, not against it",
        caveat="the highlighted words speak for the decision little more often than other words do",
        below="the highlighted words speak against the decision more often than other words do",
        kind="contrast",
        number="polarity.top",
        floor="polarity.random",
        number_words="The share of the most attended words that do not speak against the decision",
        floor_words="The same share of all words",
        for_all="not contradicted",
    ),
    Claim(
        code="SL-106",
        text="attention rests on words, not on marks",
        caveat="about as much attention rests on marks, such as punctuation, as chance would put there",
        below="more attention rests on marks, such as punctuation, than chance would put there",
        kind="contrast",
        number="marks.words",
        floor="marks.flat",
        number_words="The share of the attention that lies on words",
        floor_words="The share of an even spread that does",
        for_all="not contradicted",
        shown=(
            Shown(
                "marks.without", "change of the output when the weights of the marks are taken away (total variation)"
            ),
            Shown("marks.removed", "when the marks are deleted from the text (total variation)"),
        ),
    ),
    Claim(
        code="SL-202",
        text="which word gets which weight matters",
        caveat="the same weights on other words would give much the same output",
        kind="contrast",
        number="permutation.ratio",
        floor="permutation.ratio_floor",
        number_words=(
            "How far permuting the weights moves the output, as a share of the farthest a permutation is known to move "
            "it"
        ),
        floor_words="The same for random weights that are as uneven",
        for_all="not contradicted",
        plain="it matters to the model which word gets which weight",
        shown=(
            Shown("permutation.median", "median change over 100 permutations (total variation)"),
            Shown("permutation.median_error", "mean standard error of that median"),
            Shown("permutation.largest", "largest change that a permutation is known to make"),
            Shown("permutation.logit_variance", how="unbounded mean"),
        ),
    ),
    Claim(
        code="SL-103",
        text="the references agree with each other",
        caveat="gradient and deletion point to different words, so they cannot be averaged",
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
        code="SL-107",
        text="attention chose the words that carry the evidence",
        caveat="a model whose weights nobody chose holds about as much of its evidence under them",
        below="a model whose weights nobody chose holds more of its evidence under them",
        kind="contrast",
        number="agreement.captured.free",
        floor="frozen.captured",
        number_words="The share that the most attended words capture of an importance measured without attention",
        floor_words="The share captured in a model trained through weights that were drawn and frozen",
        second=("agreement.chance.free",),
        shown=(
            Shown("frozen.chance", "what shuffled weights capture in that model"),
            Shown("agreement.chance.free", "what shuffled weights capture in this model"),
        ),
    ),
    Claim(
        code="SL-201",
        text="another attention could change the decision",
        caveat="on most texts no attention whatever would have changed the decision",
        kind="share without",
        number="reach.proof",
        number_words="The share of texts whose decision another attention could change",
        floor_words="None",
        shown=(
            Shown("reach.low", "largest change that any attention makes (total variation), at least"),
            Shown("reach.high", "and at most"),
            Shown("reach.inert", "share of texts where it stays within ε", "share"),
        ),
    ),
    Claim(
        code="SL-203",
        text="the same answer needs weight on the highlighted words",
        caveat="the weight could lie on other words, and the answer would be the same",
        kind="contrast",
        number="counterfactual.answer.top",
        floor="counterfactual.answer.random",
        number_words="The least weight that must stay on the most attended words for the same answer",
        floor_words="The least that must stay on as many random words",
        shown=(
            Shown("counterfactual.decision.top", "the least that must stay on them for the same decision"),
            Shown("counterfactual.decision.random", "and on as many random words"),
            Shown(
                "counterfactual.jsd_low",
                "how far the farthest attention with the same answer is (Jensen–Shannon divergence, at most 0.69), at "
                "least",
            ),
            Shown("counterfactual.jsd_high", "and at most"),
            Shown("counterfactual.decision.jsd_low", "the same with the same decision, at least"),
            Shown("counterfactual.decision.jsd_high", "and at most, with the same decision"),
            Shown(
                "counterfactual.nats",
                "least move of the scores that changes the decision (nats), of texts where one does",
                "unbounded mean",
            ),
        ),
    ),
)

CLAIMS: Mapping[str, Claim] = {row.code: row for row in _ROWS}
"""Every claim that an audit tests, by its code."""

DECIDING = tuple(code for code, claim in CLAIMS.items() if claim.charge in ("moved", "alone"))
"""The claims without an answer to which there is no verdict: each can keep the map from being shown by itself."""

UNMEASURED: Mapping[str, Untested] = {
    "SL-205": Untested("whether the attended words hold the decision", "not contradicted"),
    "SL-302": Untested("whether the attended words suffice"),
    "SL-401": Untested("whether more attended states know more about the label", "not contradicted"),
    "SL-402": Untested("whether a state stands for its word", "supported"),
}
"""Claims about attention that this version does not test; while SL-402 is among them, row 4 is out of reach."""
