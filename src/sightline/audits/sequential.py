"""An audit that stops as soon as its verdict is settled: it looks at growing numbers of texts,
required tests first.

Each look takes the measures on the new texts (`TextPass`) and judges all texts so far. Intervals
are wide enough that all planned looks together err no more often than one audit may
(docs/decisions/0108-looks.md).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from sightline.adapters.shared_logits import OF_ONE_AUDIT, SharedLogits, sharing
from sightline.audits.look_budget import BudgetClock, BudgetSpentError, unlimited
from sightline.audits.look_measures import (
    BY_REQUEST,
    COMPARISON,
    MARKED,
    OTHER_MODELS,
    STAGES,
    most_compared,
    of_some,
    of_the_verdict,
    settings_of,
    stage_of,
    with_other_maps,
)
from sightline.audits.look_plan import LookPlan, planned
from sightline.audits.look_storage import COMPARED as COMPARED_FILE
from sightline.audits.look_storage import COMPLETED, KeptLooks, Position
from sightline.audits.look_summary import JudgedTexts, still_open, texts_to_settle
from sightline.audits.measure_pass import Progress, TextPass
from sightline.audits.one_look import few_before, takes_one_look
from sightline.audits.stop_limits import Limits
from sightline.config.measure_registry import ALWAYS
from sightline.core.example import Example
from sightline.core.installation import version_of
from sightline.core.protocols import (
    Auditable,
    Measure,
    MeasureContext,
    SupportsLogits,
    SupportsSharedLogits,
    SupportsSurvey,
)
from sightline.core.results import MUST_NOT, Learned, Measurement, NotRun, Outcome
from sightline.core.seeds import Seeds
from sightline.data.dataset import Dataset, describe
from sightline.measures.agreement import NOT_REPORTED
from sightline.measures.attribution_maps import shares_texts
from sightline.measures.predictions import Predictions
from sightline.measures.trace_arrays import of_words
from sightline.models.model_storage import weights_digest
from sightline.stats.intervals import LEVEL
from sightline.verdict.evidence import Evidence
from sightline.verdict.judge import judge
from sightline.verdict.model_accuracy import learned_of
from sightline.verdict.settled import (
    OTHER_MAPS,
    LookState,
    asks_other_maps,
    find_settled,
)
from sightline.verdict.thresholds import Thresholds

AGAIN = 0.4
"""The share of a text's cost that each later look pays again, for measures that learn from all
texts."""
OF_TRANSFER = 0.2
"""The least share of a look's seconds that Transfer takes: it took 0.24 of those of film reviews
and 0.37 of those of single sentences (MiniLM, docs/decisions/0129-a-verdict-within-a-budget.md)."""
NOT_NEEDED = "left out, because the verdict was settled without it; --full takes it"
TOO_FEW = "left out, because there are too few texts for any verdict; --full takes it"
NO_TIME = (
    "left out, because the budget was spent before it was finished; a larger --budget takes it"
)


@dataclass(frozen=True)
class SequentialResult:
    """The result of the looks: the measured texts, the outcomes, and a description for the report.

    ``compared`` are the outcomes on the texts on which another map was compared, if these are not
    all.
    """

    audited: Dataset
    outcomes: Mapping[str, Outcome]
    answered: Evidence
    level: float
    about: dict[str, Any]
    compared: Mapping[str, Outcome] | None = None


def look_at(
    subject: MeasureContext,
    data: Dataset,
    measures: Sequence[Measure],
    seeds: Seeds,
    batch_size: int,
    thresholds: Thresholds,
    limits: Limits,
    on_progress: Progress,
) -> SequentialResult:
    """Measure the planned test texts of a dataset until the verdict is settled or a limit is
    reached.
    """
    began = perf_counter()
    subject = replace(subject, model=_running_once(subject.model, len(data.label_names)))
    all_texts = MeasureContext(subject.model, {}, audited=tuple(data.test))
    whole = TextPass(all_texts, (Predictions(),), seeds, batch_size, {})
    limits.on_measures(whole.names)
    whole.advance(whole.names, len(data.test), on_progress)
    if whole.steady is not None:
        whole.steady.ask_first_again()
    answers = whole.outcomes(len(data.test))
    answered = Evidence(answers, data.label_names, thresholds, seeds.seed)
    predicted = (
        answered.predicted if answered.measurement(ALWAYS) else np.zeros(len(data.test), int)
    )
    once = takes_one_look(subject.model, data.test, len(data.test), limits.seconds)
    plan = planned(data.test, predicted, seeds.seed, thresholds.least, once=once)
    ordered = tuple(data.test[place] for place in plan.order)
    others = {"train": data.train, "validation": data.validation}
    with_rivals = {
        one.code: with_other_maps(one) for one in measures if getattr(one, "rivals_too", False)
    }
    alone = [of_the_verdict(one) for one in measures]
    texts = TextPass(
        replace(subject, audited=ordered), alone, seeds, batch_size, others, growing=True,
        steady=whole.steady,
    )  # fmt: skip
    probability = (
        answered.array(f"{ALWAYS}.probability") if answered.measurement(ALWAYS) else predicted
    )
    kept = KeptLooks.of(
        limits.kept_in,
        plan.sizes,
        _read_of(ordered),
        (subject.model.name, sorted(subject.model.offers), weights_digest(subject.model)),
        probability.tobytes(),
        [settings_of(one) for one in measures],
        [_read_of(others.get(name, ())) for name in sorted({*map(_surveyed, measures)})],
        sorted((name, weights_digest(one)) for name, one in subject.companions.items()),
        *map(_written, (_shown(answers), subject.given, subject.signed)),
        (seeds.seed, version_of("sightline"), version_of("torch")),
        thresholds,
    )
    kept.make_current()
    looking = _Looking(
        replace(data, test=ordered), plan, texts, with_rivals, answered, thresholds, limits, kept,
        began,
    )  # fmt: skip
    return looking.run(on_progress)


def _read_of(texts: Iterable[Example]) -> bytes:
    """Hash what measures and intervals read of texts."""
    digest = hashlib.sha256()
    for text in texts:
        words = (text.tokens, text.query, text.query_text, text.candidates, text.rationale)
        digest.update(repr((text.id, text.index, text.label, text.group, *words)).encode())
    return digest.digest()


def _surveyed(measure: Measure) -> str:
    """Name the split that a measure learns from; empty if it learns from none."""
    return measure.surveys if isinstance(measure, SupportsSurvey) else ""


def _shown(answers: Mapping[str, Outcome]) -> dict[str, np.ndarray]:
    """Give the audited map of each text, which may come from a file of scores."""
    taken = answers.get(ALWAYS)
    if not isinstance(taken, Measurement):
        return {}
    rows = of_words(taken.values["attention"]).rows()
    return {str(place): row for place, row in enumerate(rows)}


def _written(maps: Mapping[str, np.ndarray]) -> bytes:
    """Write word scores as bytes, for the key of the saved looks."""
    return b"".join(
        repr(name).encode() + np.asarray(maps[name], dtype=float).tobytes() for name in sorted(maps)
    )


@dataclass
class _Looking:
    """One audit while its looks are made."""

    data: Dataset
    plan: LookPlan
    texts: TextPass
    with_rivals: Mapping[str, Measure]
    answered: Evidence
    thresholds: Thresholds
    limits: Limits
    kept: KeptLooks
    began: float
    before: float = 0.0
    """The seconds that a stopped audit had taken, which this one resumes."""
    looks: list[dict[str, Any]] = field(default_factory=list)
    known: JudgedTexts = field(default_factory=JudgedTexts)
    of_few: JudgedTexts | None = None
    """What is known of the first few texts, if the budget may end before the first look."""
    rivals_too: bool = False
    rivals_asked: bool = False
    compared: Mapping[str, Outcome] | None = None
    about_compared: dict[str, Any] = field(default_factory=dict)
    incomplete: bool = False
    """Whether the budget ended what a settled verdict should be read with."""

    def run(self, on_progress: Progress) -> SequentialResult:
        """Look after each planned number of texts; the first look also judges after each stage."""
        clock = BudgetClock(on_progress, lambda: self.seconds, self.limits.seconds)
        position = self.kept.restore(self.texts, self.with_rivals)
        self.looks = position.looks
        self._resume(position)
        if position.look >= 0:
            self._judge(position.look, position.stage)
        stopped = self._looked(position, clock)
        if stopped != "budget":
            self._complete(clock)
        self.texts.ask_again()
        return self._ended(stopped)

    @property
    def seconds(self) -> float:
        """The seconds that the audit has taken, including a stopped one that it resumed."""
        return perf_counter() - self.began

    def is_settled(self) -> bool:
        """Whether nothing can change the verdict of the texts so far."""
        return self.known.state is not None and self.known.state.all

    @property
    def learned(self) -> Learned | None:
        """The model's quality on all planned texts."""
        return learned_of(self.answered)

    def _resume(self, position: Position) -> None:
        """Count the seconds of a stopped audit, each once, and note whether it compared maps."""
        self.began -= max(0.0, position.seconds - self.before)
        self.before = max(self.before, position.seconds)
        self.rivals_too = self.rivals_too or position.rivals_too

    def _looked(self, position: Position, clock: BudgetClock) -> str:
        """Make the looks, and give the reason why they ended."""
        if self.is_settled():
            return "settled"
        for look, size in enumerate(self.plan.sizes):
            if look < position.look:
                continue
            try:
                if self._look(look, size, position, clock):
                    return "settled"
            except BudgetSpentError:
                if not look:
                    self._go_back()
                return "settled" if self.is_settled() else "budget"
        return "texts"

    def _look(self, look: int, size: int, position: Position, clock: BudgetClock) -> bool:
        """Make a look, stage by stage, and tell whether the verdict is settled."""
        for stage in STAGES:
            if (look, stage) <= (position.look, position.stage):
                continue
            if (look, stage) == (0, STAGES[0]):
                self.texts.advance(self._names(stage), size, unlimited)
            else:
                if look and stage == STAGES[0] and not self._fits(size):
                    raise BudgetSpentError
                if (look, stage) == (0, STAGES[1]):
                    self._measure_few(size, clock)
                self._advance(self._names(stage), size, clock)
            if look and stage < STAGES[-1]:
                continue
            if self._settled(look, stage):
                return True
        if not self.rivals_asked or self.rivals_too:
            return False
        self._compare(size, clock)
        return self._settled(look, COMPARISON)

    def _measure_few(self, size: int, clock: BudgetClock) -> None:
        """Finish a few texts before the others of the first look, unless the budget surely holds
        all of them. If it ends before that look, the verdict is of these. An audit never ends here
        because of what they show, so their intervals need not be wider.
        """
        few = few_before(self.texts.run.subject.model, size, self.thresholds.least)
        if self.limits.seconds is None or not few or self._independent(few) < self.thresholds.least:
            return
        began = self.seconds
        resumed = any(self.texts.measures[name].texts for name in self._names(STAGES[1]))
        for stage in STAGES[1:]:
            self._advance(self._names(stage), few, clock)
            self.kept.save(Position(seconds=self.seconds, looks=self.looks), self.texts)
            if stage == STAGES[1] and not resumed:
                all_of_them = (self.seconds - began) / OF_TRANSFER * size / few
                if began + all_of_them <= self.limits.seconds:
                    return
            self._judge(0, stage, few)
            self.of_few = self.known
        if not self._fits(size):
            raise BudgetSpentError

    def _independent(self, size: int) -> int:
        """Count the first texts; those of one cluster count as one."""
        if not self.answered.measurement(ALWAYS):
            return size
        return len(np.unique(self.answered.clusters[list(self.plan.order[:size])]))

    def _go_back(self) -> None:
        """Take what is known of few texts, if anything is, instead of what the budget left of the
        first look.
        """
        if self.of_few is not None:
            self.known = self.of_few
            self.looks = [one for one in self.looks if one["texts"] <= self.known.size]

    def _settled(self, look: int, stage: int) -> bool:
        """Save and judge what is measured: a resumed audit can be judged before anything new is
        measured.
        """
        at = Position(look, stage, self.seconds, self.rivals_too, self.looks)
        self.kept.save(at, self.texts)
        self._judge(look, stage)
        return self.is_settled()

    def _advance(self, names: Collection[str], size: int, clock: BudgetClock) -> None:
        """Take the named measures on the texts of a look, as far as the budget allows."""
        clock.begin()
        self._tell(names, self.rivals_too)
        self.texts.advance(names, size, clock)

    def _tell(self, names: Collection[str], rivals_too: bool) -> None:
        """Say which measures are taken next, and whether of other maps, too."""
        more = [OTHER_MAPS] if rivals_too and self.with_rivals.keys() & {*names} else []
        self.limits.on_measures([*names, *more])

    def _compare(self, size: int, clock: BudgetClock) -> None:
        """Apply the tests to other maps as well, starting from the first text."""
        self._exchange()
        self._advance([*self.with_rivals], size, clock)

    def _exchange(self) -> None:
        """Let the tests be applied to other maps as well, unless they are already."""
        if not self.rivals_too:
            self.texts.exchange(self.with_rivals)
            self.rivals_too = True

    def _judge(self, look: int, stage: int, few: int = 0) -> None:
        """Judge every measure on the texts of a look, or on its first ``few``, and report what is
        settled.
        """
        size = few or self.plan.sizes[look]
        level = LEVEL if few else self.plan.level(size)
        outcomes = self.texts.outcomes(size)
        pending = {name for name in self._bearing if name not in outcomes}
        evidence = Evidence(
            {**outcomes, **{name: NotRun(name, NOT_NEEDED) for name in pending}},
            self.data.label_names,
            self.thresholds,
            self.texts.run.seeds.seed,
            level,
        )
        judged = judge(evidence, self.learned)
        self.rivals_asked = asks_other_maps(evidence)
        waiting = pending if self.rivals_too else {*pending, OTHER_MAPS}
        state = find_settled(evidence, judged, waiting, self._growing(size), self._short())
        self.known = JudgedTexts(size, level, outcomes, judged, state)
        if stage == STAGES[0] and not state.all:  # predictions alone give nothing to report
            return
        seconds = round(self.seconds, 1)
        self.looks = [one for one in self.looks if one["texts"] != size]
        self.looks.append({"texts": size, "seconds": seconds, **asdict(state)})
        looks, planned_ = len(self.plan.sizes), len(self.data.test)
        self.limits.on_look(
            LookState(look + 1, looks, size, planned_, seconds, judged.verdict, state)
        )

    @property
    def _bearing(self) -> list[str]:
        """The measures that bear on the verdict."""
        return [name for stage in STAGES for name in self._names(stage)]

    def _complete(self, clock: BudgetClock) -> None:
        """Add what a settled verdict should be read with: other maps if attention must not be
        shown or scores were brought, and measures asked for by name.
        """
        assert self.known.judgement is not None  # it was settled
        verdict, subject = self.known.judgement.verdict, self.texts.run.subject
        instead = MUST_NOT in verdict.levels or bool(subject.given or subject.signed)
        kept = self.kept.other(COMPLETED, self.known.size)
        self._resume(kept.restore(self.texts, self.with_rivals))

        def take(names: Collection[str]) -> None:
            self._take(kept, self.texts, names, self.known.size, clock)

        try:
            if instead and not self.rivals_too and not shares_texts(subject.model):
                self._compare_some(clock)
            elif instead:
                take(self._names(2))
                self._exchange()
                take([*self.with_rivals])
            take(self._names(BY_REQUEST))
        except BudgetSpentError:  # the report shows what was measured
            self.incomplete = True
        more = {**self.known.outcomes, **self.texts.outcomes(self.known.size)}
        self.known = replace(self.known, outcomes=more)

    def _take(
        self,
        kept: KeptLooks,
        texts: TextPass,
        names: Collection[str],
        upto: int,
        clock: BudgetClock,
    ) -> None:
        """Take measures one after the other and save each, but none that was saved before."""
        for name in names:
            if texts.measures[name].texts < upto:
                clock.begin()
                self._tell([name], self.rivals_too or texts is not self.texts)
                texts.advance([name], upto, clock)
                kept.save(Position(seconds=self.seconds, rivals_too=self.rivals_too), texts)

    def _compare_some(self, clock: BudgetClock) -> None:
        """Compare leave-one-out with attention on some of the texts. Comparing every map on all of
        them took twice as long as the verdict, which does not depend on it.
        """
        self.about_compared = {"texts": 0, "of": self.known.size}
        number = most_compared(self.data.test[: self.known.size], self.thresholds.least)
        if not number:
            return
        run = self.texts.run
        some = TextPass(
            replace(run.subject, audited=self.data.test[:number]),
            [Predictions(), *map(of_some, self.with_rivals.values())],
            run.seeds,
            run.batch_size,
            self.texts.others,
            growing=True,  # it is taken measure by measure
            steady=self.texts.steady,
        )
        kept = self.kept.other(COMPARED_FILE, number)
        self._resume(kept.restore(some, {}))
        self._take(kept, some, some.names, number, clock)
        self.compared = some.outcomes(number)
        self.about_compared["texts"] = number

    def _ended(self, stopped: str) -> SequentialResult:
        """Give the result, with what a settled verdict would take if it is not settled."""
        enough = self._independent(len(self.data.test)) >= self.thresholds.least
        not_needed = NOT_NEEDED if enough else TOO_FEW
        why = {"settled": not_needed, "budget": NO_TIME, "texts": NOT_REPORTED}[stopped]
        by_request = NO_TIME if self.incomplete else why
        reasons = {None: NOT_REPORTED, BY_REQUEST: by_request}
        left = {
            name: NotRun(name, reasons.get(self._stage_of(name), why))
            for name in self.texts.names
            if name not in self.known.outcomes
        }
        audited = _first(self.data, self.known.size)
        return SequentialResult(
            audited,
            {name: {**self.known.outcomes, **left}[name] for name in self.texts.names},
            self.answered,
            self.known.level,
            self._about(stopped),
            self.compared,
        )

    def _about(self, stopped: str) -> dict[str, Any]:
        """Describe how far the audit came, and what is open."""
        known, planned_texts = self.known, self.data.test
        lacking = known.lacks(self._bearing)
        assert known.state is not None  # the first stage of the first look has no limit
        about: dict[str, Any] = {
            "settled": known.state.all,
            "stopped": stopped,
            "texts": known.size,
            "unfinished": stopped == "budget" and lacking,
            "planned": len(planned_texts),
            "seconds": round(self.seconds, 1),
            "budget": self.limits.seconds,
            "level": known.level,
            "looks": self.looks,
        }
        if self.about_compared:
            about["compared"] = self.about_compared
        if self.incomplete:
            about["incomplete"] = True
        most = self._most_candidates()
        if most and (
            longer := sum(len(text.tokens) > most for text in planned_texts[: known.size])
        ):
            about["candidates"] = {"words": most, "texts": longer}
        if not known.state.all:
            # Where the budget left a test without a result, nobody knows what would settle it.
            usual = self._usual(known.size)
            needed, with_caveats = (
                None
                if lacking
                else texts_to_settle(known, self.thresholds, self.plan.sizes, usual, caveats=too)
                for too in (False, True)
            )
            judged = self.looks[-1]["seconds"] if self.looks else self.seconds
            about |= still_open(known, needed, with_caveats, judged)
            about["independent"] = self._independent(len(planned_texts))
        return about

    def _most_candidates(self) -> int | None:
        """The most words of a text that are left out one by one; None if every word is."""
        measured = (self.texts.measures[name].guarded.one for name in self.known.outcomes)
        taken = {most for one in measured if (most := getattr(one, "candidates", None))}
        return None if shares_texts(self.texts.run.subject.model) else max(taken, default=None)

    def _fits(self, size: int) -> bool:
        """Whether the next look would end within the budget, judging by the looks before."""
        if self.limits.seconds is None:
            return True
        share = (size - self.known.size + AGAIN * self.known.size) / max(self.known.size, 1)
        return self.seconds * (1 + share) <= self.limits.seconds

    def _names(self, stage: int) -> tuple[str, ...]:
        return tuple(name for name in self.texts.names if self._stage_of(name) == stage)

    def _stage_of(self, name: str) -> int | None:
        """The stage of a measure; marked words and control models ask for their comparison."""
        named = self.texts.run.subject.companions.keys() - {"uniform"}
        marked = name == MARKED and any(text.rationale for text in self.data.test)
        asked = marked or (name in OTHER_MODELS and bool(named))
        return BY_REQUEST if asked else stage_of(name)

    def _growing(self, size: int) -> set[str]:
        """The predicted classes that have more texts to come."""
        if not self.answered.measurement(ALWAYS):
            return set()
        # After the last look, open tests stay open: the verdict is not settled.
        later = self.answered.predicted[list(self.plan.order[size % len(self.plan.order) :])]
        return {self.data.label_names[int(one)] for one in np.unique(later)}

    def _usual(self, size: int) -> dict[str, float]:
        """Say for each class in how many planned texts there are usually as many of it as in the
        first ``size``.
        """
        if not self.answered.measurement(ALWAYS):
            return {}
        here = list(self.plan.order[:size])
        return {
            name: len(rows) * rows[here].sum() / rows.sum()
            for name, rows in self.answered.classes.items()
        }

    def _short(self) -> set[str]:
        """The predicted classes of which too few texts are planned for a verdict, whatever they
        show.
        """
        if not self.answered.measurement(ALWAYS):
            return set()
        return {
            name
            for name in self.answered.classes
            if self.answered.independent(name) < self.thresholds.least
        }


def _first(data: Dataset, texts: int) -> Dataset:
    """Keep only the measured texts, and note it on the card."""
    test, card = data.test[:texts], dict(data.card)
    card["splits"] = {**card.get("splits", {}), "test": describe(test, data.label_names)}
    text = f"{texts} of {len(data.test)} planned texts were measured until the audit stopped"
    if texts < len(data.test):
        card["notes"] = [*card.get("notes", ()), text]
    return replace(data, test=test, card=card)


def _running_once(model: Auditable, logits: int) -> Auditable:
    """Let all measures share the logits of a model that runs each changed text by itself; other
    models stay as they are.
    """
    run = model.logits if isinstance(model, SupportsLogits) and not shares_texts(model) else None
    if run is None or not isinstance(model, SupportsSharedLogits) or model.shared is not None:
        return model
    return sharing(model, SharedLogits(run, logits, OF_ONE_AUDIT))
