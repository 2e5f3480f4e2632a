"""The tests of an audit: one literal row each, in the order of the report."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.verdict.audit_test import AuditTest, ReportedQuantity

SIGNIFICANT = (
    "share of texts whose τ-b is significant, p ≤ .05 under permuted words by a normal "
    "approximation (at most 0.05 by chance without many ties)"
)

TOP_WORD, TOP_WORDS_MATTER = "SL-307", "erasure.matters"
"""The test of the most highlighted words, and the share of texts in which they matter
(`Evidence.top_words_matter`)."""

PRESENCE, PRESENT_AT_MOST = "SL-306", "transplant.present.all"
"""The test of presence, and its best achievable number (`Evidence.estimate`)."""


def top_words_share(of: str = "") -> str:
    """Name this share among the estimates of an audit, for a predicted class or for all texts.

    >>> top_words_share(), top_words_share("positive")
    ('erasure.matters', 'erasure.matters.positive')
    """
    return f"{TOP_WORDS_MATTER}.{of}" if of else TOP_WORDS_MATTER


_ROWS = (
    AuditTest(
        code="SL-303",
        name="Transfer",
        question="Do the highlighted words take the prediction with them into another text?",
        passed=(
            "the highlighted words take the prediction with them when copied into a text of "
            "another class"
        ),
        failed=(
            "the highlighted words do not take the prediction with them when copied into a text "
            "of another class"
        ),
        below=(
            "the highlighted words move the prediction less than random ones in a text of "
            "another class"
        ),
        kind="pairs",
        number="transplant.carried.attention",
        baseline="transplant.random.attention",
        ceiling="transplant.whole",
        second=("transplant.flipped.attention", "transplant.random_flipped.attention", ""),
        number_words=(
            "The part of the prediction that the highlighted words carry into a text of another "
            "class"
        ),
        baseline_words="The part that as many random words carry",
        second_words=(
            "The share of hybrids on which the prediction becomes the donor’s",
            "The share on which it does with as many random words",
        ),
        veto="moved",
        for_caveats="passed",
        for_all="passed",
    ),
    AuditTest(
        code="SL-301",
        name="Removal",
        question="Does removing the highlighted words change the prediction?",
        passed=(
            "removing the highlighted words changes the prediction far more than removing random "
            "words"
        ),
        failed=(
            "removing the highlighted words changes the prediction hardly more than removing "
            "random words"
        ),
        below=(
            "removing the highlighted words changes the prediction less than removing random words"
        ),
        kind="two operators",
        number="erasure.deleted.attention",
        baseline="erasure.deleted.random",
        ceiling="erasure.deleted.most",
        second=("erasure.replaced.attention", "erasure.replaced.random", "erasure.replaced.most"),
        number_words="What the log-odds of the predicted class lose when the highlighted words are deleted",
        baseline_words="What they lose without as many random words",
        second_words=(
            "What the log-odds of the predicted class lose when the highlighted words are replaced",
            "What they lose when as many random words are replaced",
        ),
        exceeds=True,
        veto="alone",
        for_caveats="passed",
        for_all="passed",
        shown=(
            ReportedQuantity(
                "erasure.deleted.most",
                "what they lose without the words whose deletion matters most",
            ),
            ReportedQuantity(
                "erasure.replaced.attention",
                "what they lose when the highlighted words are replaced",
            ),
            ReportedQuantity(
                "erasure.replaced.random",
                "when as many random words are replaced",
            ),
            ReportedQuantity(
                "erasure.replaced.most",
                "when the words that matter most are replaced",
            ),
            ReportedQuantity(
                "erasure.area", "comprehensiveness as published: what the probability loses"
            ),
            ReportedQuantity("erasure.floor", "the same without random words"),
        ),
    ),
    AuditTest(
        code="SL-304",
        name="Own effect",
        question=(
            "Do the highlighted words change the prediction when put into another text or taken "
            "out of their own?"
        ),
        passed=(
            "the highlighted words change the prediction when put into another text or taken out "
            "of their own"
        ),
        failed=(
            "the highlighted words hardly change the prediction when put into another text or "
            "taken out of theirs"
        ),
        below=(
            "the highlighted words work against the prediction when put into another text or "
            "taken out of their own"
        ),
        kind="pairs",
        number="transplant.own.attention",
        baseline="transplant.random_own.attention",
        ceiling="transplant.whole",
        number_words=(
            "The part of the prediction that the highlighted words move, put in and taken out, "
            "on average"
        ),
        baseline_words="The part that as many random words move",
        twice=True,
        for_caveats="passed",
        for_all="passed",
    ),
    AuditTest(
        code="SL-305",
        name="Range",
        question="Does the model stay within its usual range on the texts that the tests make?",
        passed=(
            "the model stays within its usual range of predictions on the texts that the tests make"
        ),
        failed="the model leaves its usual range of predictions on the texts that the tests make",
        kind="share",
        number="transplant.within",
        number_words=(
            "The share of the texts made by moving words that are predicted no more surely than "
            "natural texts"
        ),
        baseline_words="None",
        for_caveats="not failed",
        for_all="passed",
        fixed=0.95,
        of_the_model=True,
    ),
    AuditTest(
        code="SL-306",
        name="Presence",
        question=(
            "Are texts that contain the highlighted words of a class predicted as that class "
            "more often?"
        ),
        passed=(
            "texts that contain the highlighted words of a class are predicted as that class "
            "more often"
        ),
        failed=(
            "texts that contain the highlighted words of a class are predicted as that class "
            "hardly more often"
        ),
        below=(
            "texts that contain the highlighted words of a class are predicted as that class "
            "less often"
        ),
        kind="pairs",
        number="transplant.present.attention",
        ceiling=PRESENT_AT_MOST,
        number_words=(
            "How often a text has more of the words highlighted for its class than a text of "
            "another class"
        ),
        baseline_words="Half: the value for two texts that differ in nothing else",
        for_caveats="not failed",
        for_all="not failed",
        shown=(ReportedQuantity(PRESENT_AT_MOST, "the best achievable: every word highlighted"),),
        as_written=True,
    ),
    AuditTest(
        code="SL-307",
        name="Top word",
        question="Does removing the most highlighted words alone change the output?",
        passed="removing the most highlighted words alone changes the output",
        failed=(
            "removing the most highlighted words alone changes the output hardly more than "
            "removing random words"
        ),
        below=(
            "removing the most highlighted words alone changes the output less than removing "
            "random words"
        ),
        kind="contrast",
        number="erasure.top.attention",
        baseline="erasure.top.random",
        ceiling="erasure.top.most",
        number_words="How far the log-odds move, up or down, without the top 1 % of the words, at least "
        "one: from the whole text, or where the rest of the top 20 % is gone already, "
        "whichever is more",
        baseline_words="How far they move without as many random words",
        for_caveats="not failed",
        for_all="passed",
        shown=(
            ReportedQuantity(
                "erasure.top.most",
                "the best achievable: the farthest they move under any order of words tried",
            ),
            ReportedQuantity(
                TOP_WORDS_MATTER,
                "share of texts whose own score lies above the threshold",
                "share",
            ),
        ),
    ),
    AuditTest(
        code="SL-308",
        name="Share of texts",
        question="Do the highlighted words work on most texts, or on a few only?",
        passed=(
            "the highlighted words have at least half of the effect that words can have on most "
            "texts"
        ),
        failed=(
            "the highlighted words have half of the effect that words can have on fewer than "
            "half of the texts"
        ),
        kind="share",
        number="transplant.right.attention",
        number_words=(
            "The share of the texts on which the highlighted words do half of what they could"
        ),
        baseline_words="None",
        for_all="passed",
        fixed=0.5,
    ),
    AuditTest(
        code="SL-101",
        name="Gradient agreement",
        question="Are they the words the output is most sensitive to?",
        passed="attention and gradients pick the same words",
        failed="attention and gradients pick different words",
        below="attention picks words that gradients rank below random words",
        kind="contrast",
        number="agreement.captured.gradient",
        baseline="agreement.chance.gradient",
        draws="agreement.draws.gradient",
        number_words="The share of the gradient’s importance that the most attended words capture",
        baseline_words="The share captured after permuting the weights after the fact",
        veto="together",
        for_caveats="one of these",
        for_all="one of these",
        shown=(
            ReportedQuantity(
                "agreement.mass.gradient",
                "importance of a word sampled by its weight, divided by the largest importance",
            ),
            ReportedQuantity(
                "agreement.mass_chance.gradient", "the same for a word sampled uniformly"
            ),
            ReportedQuantity(
                "agreement.coupling.gradient", "coupling: shuffled weights, used for decoding"
            ),
            ReportedQuantity(
                "agreement.captured.gradient_through",
                "with the gradient running through attention too",
            ),
            ReportedQuantity(
                "agreement.tau.gradient", "Kendall’s τ-b over all words, as in the papers"
            ),
            ReportedQuantity("agreement.significant.gradient", SIGNIFICANT, how="share"),
            ReportedQuantity(
                "agreement.coupling_tau.gradient",
                "the same τ-b of shuffled weights, used for decoding",
            ),
            ReportedQuantity("agreement.chance.gradient_through"),
            ReportedQuantity("agreement.tau.gradient_through"),
        ),
        as_written=True,
    ),
    AuditTest(
        code="SL-102",
        name="Leave-one-out agreement",
        question="Are they the words whose removal changes the output?",
        passed="attention and leave-one-out pick the same words",
        failed="attention and leave-one-out pick different words",
        below="attention picks words that leave-one-out ranks below random words",
        kind="contrast",
        number="agreement.captured.deletion",
        baseline="agreement.chance.deletion",
        draws="agreement.draws.deletion",
        number_words=(
            "The share of the leave-one-out importance that the most attended words capture"
        ),
        baseline_words="The share captured after permuting the weights after the fact",
        veto="together",
        for_caveats="one of these",
        for_all="one of these",
        shown=(
            ReportedQuantity(
                "agreement.mass.deletion",
                "importance of a word sampled by its weight, divided by the largest importance",
            ),
            ReportedQuantity(
                "agreement.mass_chance.deletion", "the same for a word sampled uniformly"
            ),
            ReportedQuantity(
                "agreement.coupling.deletion", "coupling: shuffled weights, used for decoding"
            ),
            ReportedQuantity(
                "agreement.tau.deletion", "Kendall’s τ-b over all words, as in the papers"
            ),
            ReportedQuantity("agreement.significant.deletion", SIGNIFICANT, how="share"),
            ReportedQuantity(
                "agreement.coupling_tau.deletion",
                "the same τ-b of shuffled weights, used for decoding",
            ),
        ),
    ),
    AuditTest(
        code="SL-104",
        name="Attention-free agreement",
        question="Would the same words matter if attention were uniform?",
        passed="the highlighted words matter even when attention is uniform",
        failed="the highlighted words matter no more than random words when attention is uniform",
        below="the highlighted words matter less than random words when attention is uniform",
        kind="contrast",
        number="agreement.captured.free",
        baseline="agreement.chance.free",
        draws="agreement.draws.free",
        second=("types.free",),
        number_words=(
            "The share that the most attended words capture of an importance measured without "
            "attention"
        ),
        baseline_words="The share that shuffled weights capture",
        veto="below zero",
        for_all="passed",
        waits_on="SL-103",
        shown=(
            ReportedQuantity(
                "types.free", "the share that weights permuted over the vocabulary capture"
            ),
            ReportedQuantity(
                "agreement.mass.free",
                "importance of a word sampled by its weight, divided by the largest importance",
            ),
            ReportedQuantity("agreement.mass_chance.free", "the same for a word sampled uniformly"),
            ReportedQuantity("agreement.captured.free_gradient", "of the gradient alone"),
            ReportedQuantity(
                "agreement.chance.free_gradient", "the chance level of the gradient alone"
            ),
            ReportedQuantity("agreement.captured.free_deletion", "of leave-one-out alone"),
            ReportedQuantity(
                "agreement.chance.free_deletion", "the chance level of leave-one-out alone"
            ),
            ReportedQuantity("agreement.tau.free_gradient"),
            ReportedQuantity("agreement.tau.free_deletion"),
        ),
    ),
    AuditTest(
        code="SL-001",
        name="Need",
        question="Does the model lose accuracy without learned attention?",
        passed="the model loses accuracy without learned attention",
        failed="the model does about as well without learned attention",
        below="the model does better without learned attention",
        kind="weakest drop",
        number="need",
        number_words="What the model loses (accuracy or F1) without its learned choice of words",
        baseline_words="No loss",
        for_all="passed",
        shown=(
            ReportedQuantity(
                "need.uniform.accuracy_drop", "accuracy lost with uniform weights put in", "drop"
            ),
            ReportedQuantity(
                "need.constant.accuracy_drop",
                "accuracy lost with the same weights for every text",
                "drop",
            ),
            ReportedQuantity(
                "need.permuted.accuracy_drop", "accuracy lost with the weights permuted", "drop"
            ),
            ReportedQuantity(
                "need.retrained.accuracy_drop",
                "accuracy lost against a model retrained with uniform attention",
                "drop",
            ),
            ReportedQuantity(
                "need.uniform_odds",
                "log-odds of the predicted class lost with uniform weights",
            ),
            ReportedQuantity("need.constant_odds", "with the same weights for every text"),
            ReportedQuantity("need.permuted_odds", "with the weights permuted"),
            ReportedQuantity("need.uniform.F1_drop", how="drop"),
            ReportedQuantity("need.constant.F1_drop", how="drop"),
            ReportedQuantity("need.permuted.F1_drop", how="drop"),
            ReportedQuantity("need.retrained.F1_drop", how="drop"),
        ),
    ),
    AuditTest(
        code="SL-105",
        name="Polarity",
        question="Do they speak for the predicted class?",
        passed="the highlighted words speak for the predicted class",
        failed="the highlighted words speak for the predicted class hardly more often than others",
        below="the highlighted words speak against the predicted class more often than others",
        kind="contrast",
        number="polarity.top",
        baseline="polarity.random",
        number_words=(
            "The share of the most attended words that do not speak against the prediction"
        ),
        baseline_words="The same share of all words",
        for_all="not failed",
    ),
    AuditTest(
        code="SL-106",
        name="Words, not punctuation",
        question="Is attention on words rather than punctuation and special tokens?",
        passed="attention rests on words",
        failed=(
            "attention rests on punctuation, special tokens or words that almost all texts share, "
            "nearly as much as chance would put there"
        ),
        below=(
            "attention rests on punctuation, special tokens or words that almost all texts share, "
            "more than chance would put there"
        ),
        kind="contrast",
        number="marks.words",
        baseline="marks.flat",
        number_words="The share of the attention that lies on words",
        baseline_words="The share of an even spread that does",
        for_all="not failed",
        shown=(
            ReportedQuantity(
                "marks.without",
                (
                    "change of the output when the weights of the marks are taken away (total "
                    "variation)"
                ),
            ),
            ReportedQuantity(
                "marks.removed", "when the marks are deleted from the text (total variation)"
            ),
        ),
    ),
    AuditTest(
        code="SL-402",
        name="Own word",
        question="Does a hidden state encode its own token?",
        passed="hidden states at the highlighted words encode those words",
        failed=(
            "hidden states at the highlighted words encode the surrounding text as much as those "
            "words"
        ),
        below=(
            "hidden states at the highlighted words encode the surrounding text rather than "
            "those words"
        ),
        kind="contrast",
        number="own_word.word",
        baseline="own_word.text",
        ceiling="own_word.whole",
        number_words=(
            "The share of the variance of the attended tokens’ logits that their words explain, "
            "learned from other texts"
        ),
        baseline_words="The share that the other words of the text explain",
        for_all="passed",
        shown=(
            ReportedQuantity("own_word.whole", "the best achievable: all that there is to explain"),
            ReportedQuantity(
                "own_word.untrained",
                "the share that words explain before any training",
            ),
            ReportedQuantity(
                "mixing.own",
                "share of the gradient of a state’s length that is its own word’s, by attention",
            ),
            ReportedQuantity("mixing.own_plain", "the same, all hidden states weighted equally"),
            ReportedQuantity("mixing.even", "the share of each word if all had the same"),
            ReportedQuantity("mixing.own.untrained", "a state’s own share before any training"),
        ),
    ),
    AuditTest(
        code="SL-202",
        name="Permutation",
        question="Does it matter which word gets which weight?",
        passed="shuffling the weights changes the output",
        failed="shuffling the weights hardly changes the output",
        kind="contrast",
        number="permutation.ratio",
        baseline="permutation.ratio_floor",
        number_words=(
            "How far permuting the weights moves the output, as a share of the farthest a "
            "permutation is known to move it"
        ),
        baseline_words="The same for random weights that are as uneven",
        for_all="not failed",
        shown=(
            ReportedQuantity(
                "permutation.median", "median change over 100 permutations (total variation)"
            ),
            ReportedQuantity("permutation.median_error", "mean standard error of that median"),
            ReportedQuantity(
                "permutation.largest", "largest change that a permutation is known to make"
            ),
            ReportedQuantity("permutation.logit_variance"),
        ),
    ),
    AuditTest(
        code="SL-205",
        name="Prediction flip",
        question="Do few of the top weights have to go before the prediction flips?",
        passed="the prediction hangs on the highest weights",
        failed=(
            "removing the highest weights flips the prediction no sooner than it does with shuffled "
            "weights"
        ),
        below=(
            "removing the highest weights flips the prediction later than it does with shuffled "
            "weights"
        ),
        kind="contrast",
        number="flips.found.attention",
        baseline="flips.found.shuffled",
        ceiling="flips.found.best",
        number_words=(
            "How near the order of attention comes to the fewest words without whose weight "
            "the prediction flips (log of their number over that found; 0: as near as can be)"
        ),
        baseline_words="The same for weights shuffled over the words and used",
        for_all="not failed",
        shown=(
            ReportedQuantity(
                "flips.found.best", "the best achievable: those fewest words, by definition"
            ),
            ReportedQuantity("flips.found.gradient", "the same in the order of the gradient"),
            ReportedQuantity("flips.found.random", "the same in random order"),
            ReportedQuantity(
                "flips.never", "share of texts where no set of words flips the prediction", "share"
            ),
            ReportedQuantity(
                "flips.size",
                "fewest words without whose weight the prediction flips",
            ),
            ReportedQuantity(
                "flips.size.attention",
                "words that go until it flips, in the order of attention",
            ),
            ReportedQuantity(
                "repair.singly.scaled",
                "log-odds lost without the weight of each top word, added up",
            ),
            ReportedQuantity(
                "repair.jointly.scaled",
                "log-odds lost without the weights of all top words",
            ),
            ReportedQuantity("repair.gap.scaled"),
            ReportedQuantity("repair.gap.zeroed"),
        ),
    ),
    AuditTest(
        code="SL-401",
        name="Rank information",
        question="Are the most attended states the most predictive of the label?",
        passed="the most attended states are the most predictive of the label",
        failed="the most attended states are hardly more predictive of the label than others",
        below="the most attended states are less predictive of the label than others",
        kind="by rank",
        number="information.first.label",
        baseline="information.rest.label",
        ceiling="information.most.label",
        draws="information.draws.label",
        number_words=(
            "What the hidden state with the largest weight says about the label (nats, on texts "
            "that the probe has not seen)"
        ),
        baseline_words="What the hidden states of the other ranks say about it, on average",
        for_all="not failed",
        shown=(
            ReportedQuantity(
                "information.D.output",
                "the same contrast about the model’s own answer",
            ),
            ReportedQuantity(
                "information.coupled.D",
                "p of that contrast among shuffles of the attention",
            ),
            ReportedQuantity(
                "information.D.decoupled",
                "about its answer under uniform attention",
            ),
            ReportedQuantity(
                "information.flatness",
                "mean weight of the first rank, divided by the mean weight of the last",
            ),
            ReportedQuantity(
                "information.paper.tau.output",
                "Shieh’s τ of counted information, as published",
            ),
            ReportedQuantity("information.paper.tau.label", "the same about the label"),
            ReportedQuantity("information.untrained.D.label"),
            ReportedQuantity(
                "information.most.label", "the best achievable: all that can be said about it"
            ),
        ),
    ),
    AuditTest(
        code="SL-103",
        name="Comparison agreement",
        question="Do gradient and leave-one-out agree with each other?",
        passed="gradient and leave-one-out agree with each other",
        failed="gradient and leave-one-out point to different words, so they are not averaged",
        kind="contrast",
        number="agreement.captured.references",
        baseline="agreement.chance.references",
        number_words=(
            "The share of one map’s importance that the top words of the other capture "
            "(gradient and leave-one-out)"
        ),
        baseline_words="The share that random words capture",
        shown=(ReportedQuantity("agreement.tau.references", "Kendall’s τ-b over all words"),),
    ),
    AuditTest(
        code="SL-107",
        name="Selection",
        question=(
            "Did attention select these words, or did training adapt to whatever was attended?"
        ),
        passed="attention selected the words that matter",
        failed="a control model with random, frozen attention puts as much on its top words",
        below="a control model with random, frozen attention puts more on its top words",
        kind="contrast",
        number="agreement.captured.free",
        baseline="frozen.captured",
        number_words=(
            "The share that the most attended words capture of an importance measured without "
            "attention"
        ),
        baseline_words=(
            "The share captured in a model trained through weights that were drawn and frozen"
        ),
        second=("agreement.chance.free",),
        shown=(
            ReportedQuantity("frozen.chance", "what shuffled weights capture in that model"),
            ReportedQuantity(
                "agreement.chance.free", "what shuffled weights capture in this model"
            ),
        ),
    ),
    AuditTest(
        code="SL-201",
        name="Sensitivity to attention",
        question="Could other attention change the prediction?",
        passed="other attention could change the prediction",
        failed="no other attention could change the prediction on most texts",
        kind="share without",
        number="reach.proof",
        number_words="The share of texts whose prediction other attention could change",
        baseline_words="None",
        shown=(
            ReportedQuantity(
                "reach.low", "largest change that any attention makes (total variation), at least"
            ),
            ReportedQuantity("reach.high", "and at most"),
            ReportedQuantity("reach.inert", "share of texts where it stays within ε", "share"),
            ReportedQuantity(
                "token_evidence.probability",
                (
                    "probability of the prediction by one word alone, mean over the words of "
                    "texts predicted rightly"
                ),
            ),
            ReportedQuantity(
                "token_evidence.share",
                "share of what words alone would say that differs within texts",
            ),
        ),
    ),
    AuditTest(
        code="SL-203",
        name="Minimal attention mass",
        question="How much weight must stay on these words for the same prediction?",
        passed="the same prediction needs weight on the highlighted words",
        failed="the weight could lie on other words, and the prediction would be the same",
        kind="contrast",
        number="counterfactual.answer.top",
        baseline="counterfactual.answer.random",
        number_words=(
            "The least weight that must stay on the most attended words for the same output"
        ),
        baseline_words="The least that must stay on as many random words",
        shown=(
            ReportedQuantity(
                "counterfactual.decision.top",
                "the least that must stay on them for the same prediction",
            ),
            ReportedQuantity("counterfactual.decision.random", "and on as many random words"),
            ReportedQuantity(
                "counterfactual.jsd_low",
                "how far the farthest attention with the same output is (Jensen–Shannon "
                "divergence, at most 0.69), at least",
            ),
            ReportedQuantity("counterfactual.jsd_high", "and at most"),
            ReportedQuantity(
                "counterfactual.decision.jsd_low", "the same with the same prediction, at least"
            ),
            ReportedQuantity(
                "counterfactual.decision.jsd_high", "and at most, with the same prediction"
            ),
            ReportedQuantity(
                "counterfactual.nats",
                (
                    "least change of the log-weights that changes the prediction (nats), of texts "
                    "where one does"
                ),
            ),
        ),
    ),
    AuditTest(
        code="SL-403",
        name="Focus of states",
        question="Does a hidden state depend on few words?",
        passed="a hidden state depends on few words",
        failed="a hidden state depends on nearly all words of its text",
        kind="contrast",
        number="mixing.focus",
        baseline="mixing.spread",
        number_words=(
            "How far the importance of the words for a state is from an even spread (1 − "
            "normalised entropy)"
        ),
        baseline_words="An even spread",
        shown=(
            ReportedQuantity(
                "mixing.entropy",
                "normalised entropy of the importance of the words for a state, as published",
            ),
            ReportedQuantity(
                "mixing.focus.untrained", "how far from even it is before any training"
            ),
        ),
    ),
    AuditTest(
        code="SL-302",
        name="Sufficiency",
        question="Do the highlighted words alone lead to the prediction?",
        passed="the highlighted words alone lead to the prediction",
        failed="the highlighted words alone lead to the prediction hardly more than random words",
        below="the highlighted words alone lead to the prediction less than random words",
        kind="contrast",
        number="sufficiency.kept.attention",
        baseline="sufficiency.kept.random",
        ceiling="sufficiency.kept.most",
        number_words=(
            "The log-odds of the predicted class that are left when only the highlighted words are"
        ),
        baseline_words="What is left of it with as many random words",
        exceeds=True,
        shown=(
            ReportedQuantity(
                "sufficiency.kept.most",
                "what is left with the words whose deletion matters most",
            ),
            ReportedQuantity(
                "sufficiency.whole",
                "the log-odds of the predicted class on the whole text",
            ),
            ReportedQuantity(
                "sufficiency.area", "sufficiency as published: what the probability loses"
            ),
            ReportedQuantity("sufficiency.floor", "the same with random words"),
        ),
    ),
    AuditTest(
        code="SL-601",
        name="Seed stability",
        question="Does another training run attend to the same words?",
        passed="another training run attends to the same words",
        failed="another training run attends to the same words hardly more than chance would",
        below="another training run attends to other words than chance would",
        kind="contrast",
        number="beside.alike.seeds",
        baseline="beside.alike_chance.seeds",
        number_words=(
            "How similar the weights of two trainings are (1 minus their divergence, as a share of "
            "the largest)"
        ),
        baseline_words="The same with the weights of the other training shuffled over the words",
        shown=(
            ReportedQuantity(
                "beside.tau.seeds", "Kendall’s τ-b between the weights of two trainings"
            ),
            ReportedQuantity("beside.jsd.seeds", "Jensen–Shannon divergence between them"),
            ReportedQuantity("beside.tvd.seeds", "total variation between their answers"),
        ),
    ),
)

AUDIT_TESTS: Mapping[str, AuditTest] = {row.code: row for row in _ROWS}
"""Every test of an audit by its code."""

OWN = "SL-304"
"""The test of what the words of a class do by themselves."""
DECIDING = tuple(code for code, claim in AUDIT_TESTS.items() if claim.veto in ("moved", "alone"))
"""The tests that can keep a map from being shown by themselves: without their result there is no
verdict."""
