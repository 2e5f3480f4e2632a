"""A training stops at the first step whose loss is not finite, and names the first tensor that is
not.
"""

from dataclasses import replace

import pytest
import torch

from sightline.config.spec_syntax import parse_data, parse_model
from sightline.config.specs import FitSpec
from sightline.core.errors import ModelError
from sightline.core.seeds import Seeds
from sightline.data.batches import training_batches
from sightline.data.load_dataset import fit_vocabulary, load
from sightline.models.classifier import AttentionClassifier, build
from sightline.numerics import projections
from sightline.training import epoch as steps
from sightline.training.loop import _optimiser, fit
from sightline.training.objective import SingleLabelLoss
from sightline.training.resume_state import NoStates, State

DATA = parse_data("planted:needle(n=60,length=6)")
DATASET = load(DATA, 0)
FIT = FitSpec(epochs=3, patience=3, batch_size=8)
OF = -(-len(DATASET.train) // FIT.batch_size)


def built(model: str = "bilstm(hidden=4)+additive") -> AttentionClassifier:
    return build(
        parse_model(model, embedding=8), fit_vocabulary(DATASET, DATA), DATASET.label_names, 0
    )


def stopped(
    model: AttentionClassifier,
    spec: FitSpec = FIT,
    breaks: tuple[int, int] = (0, 0),
    room: str = "",
) -> str:
    """Train, and set the weights of a part to infinity as a step is told; give the error."""

    def record(epoch: int, done: int, total: int) -> None:
        if (epoch, done) == breaks:
            with torch.no_grad():
                for weight in getattr(model, room).parameters():
                    weight.fill_(torch.inf)

    with pytest.raises(ModelError) as error:
        fit(model, DATASET.train, DATASET.validation, spec, 0, on_batch=record)
    return str(error.value)


def at(epoch: int, step: int) -> str:
    return f"training diverged in epoch {epoch}, step {step} of {OF}: "


@pytest.fixture(params=[1, 4, 64], ids=["each step", "every fourth", "at the end"])
def look(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at losses as on a processor, and as on an accelerator, where broken steps are skipped
    meanwhile.
    """
    usual = steps.EpochSteps.__init__
    monkeypatch.setattr(
        steps.EpochSteps, "__init__", lambda self, *parts: usual(self, *parts, look=request.param)
    )


@pytest.mark.parametrize("room", ["embedding", "encoder", "scorer", "decoder"])
@pytest.mark.parametrize(
    "projection", ["", "+sparsemax", "+sparsegen", "+entmax", "+entmax(learned=true)", "+gumbel"]
)
def test_a_weight_is_named_at_the_step_after_it_broke(
    look: None, room: str, projection: str
) -> None:
    model = built(f"bilstm(hidden=4)+additive{projection}")
    first = next(name for name, _ in model.named_parameters() if name.startswith(f"{room}."))
    result = stopped(model, breaks=(2, 3), room=room)
    assert result.startswith(
        f"{at(2, 4)}the loss is nan, and the first that is not finite is the weight {first}, "
        "as it was before this step; lower"
    )
    assert "lower the learning rate (0.001), or clip gradients" in result


def test_a_weight_that_the_last_step_broke_is_named_at_the_end_of_the_epoch(look: None) -> None:
    result = stopped(built(), breaks=(1, OF), room="scorer")
    assert result.startswith(
        f"{at(1, OF)}the loss is finite, and the weight scorer.inner.weight is not any more; lower"
    )


@pytest.mark.parametrize(
    ("rate", "clipping", "step", "what"),
    [
        (3e38, 0.0, 2, "the weight embedding.weight, as it was before this step"),
        (3e38, 1.0, 2, "the weight embedding.weight, as it was before this step"),
    ],
)
def test_a_learning_rate_that_overflows_is_noticed(
    look: None, rate: float, clipping: float, step: int, what: str
) -> None:
    result = stopped(
        built("mlp(hidden=4)+additive"),
        replace(FIT, learning_rate=rate, gradient_clipping=clipping),
    )
    assert result.startswith(at(1, step))
    assert f"the first that is not finite is {what}; lower the learning rate ({rate:g})" in result


@pytest.mark.parametrize(
    ("clipping", "step", "what"),
    [
        (0.0, 3, "the weight encoder.affine.weight, as it was before this step"),
        (
            1.0,
            2,
            "the gradient of encoder.affine.weight",
        ),  # its norm is looked at, and so a step sooner
    ],
)
def test_a_gradient_that_overflows_is_noticed(
    look: None, clipping: float, step: int, what: str
) -> None:
    model, calls = built("mlp(hidden=4)+additive"), [0]

    def overflows(gradient: torch.Tensor) -> torch.Tensor:
        calls[0] += 1
        return gradient if calls[0] == 1 else torch.full_like(gradient, torch.inf)

    model.encoder.affine.weight.register_hook(overflows)
    result = stopped(model, replace(FIT, gradient_clipping=clipping))
    assert result.startswith(at(1, step))
    assert f"the first that is not finite is {what}; lower the learning rate (0.001)" in result


@pytest.mark.parametrize("retention", ["tying", "mlm"])
def test_the_loss_of_retention_is_named(
    look: None, monkeypatch: pytest.MonkeyPatch, retention: str
) -> None:
    model = built(f"bilstm(hidden=4)+{retention}")
    usual, seen = model.retention.penalty, [0]

    def penalty(
        trace, embedding, encoder
    ):  # broken for the words of one batch: found by running that again
        seen[0] = seen[0] or (trace.batch.index.sum().item() if calls() == 3 else 0)
        return usual(trace, embedding, encoder) * (
            torch.nan if trace.batch.index.sum().item() == seen[0] else 1.0
        )

    def calls(count: list[int] = [0]) -> int:  # noqa: B006
        count[0] += 1
        return count[0]

    monkeypatch.setattr(model.retention, "penalty", penalty)
    result = stopped(model, FIT)
    assert result.startswith(
        f"{at(1, 3)}the loss is nan, and the first that is not finite is the loss that {retention}"
    )


def test_what_else_is_added_to_the_loss_is_named(
    look: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = SingleLabelLoss.losses
    monkeypatch.setattr(
        SingleLabelLoss, "losses", lambda self, model, texts: usual(self, model, texts) + torch.inf
    )
    result = stopped(built())
    assert result.startswith(
        f"{at(1, 1)}the loss is inf, and the first that is not finite is what is added to the "
        "loss of the labels; lower"
    )


def test_a_gradient_is_named_where_it_would_be_clipped(look: None) -> None:
    model = built()
    model.scorer.inner.weight.register_hook(lambda gradient: gradient * torch.inf)
    result = stopped(model, replace(FIT, gradient_clipping=1.0))
    assert result.startswith(at(1, 1))
    assert "the first that is not finite is the gradient of scorer.inner.weight" in result


def test_weights_stay_as_the_broken_step_found_them(
    look: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step of a loss that is not finite moves nothing, however late anybody looks."""
    ends = list[dict[str, torch.Tensor]]()
    usual = SingleLabelLoss.losses
    for after in (3, 3):
        calls = [0]

        def losses(self, model, texts, calls=calls, after=after):
            calls[0] += 1
            return usual(self, model, texts) * (torch.nan if calls[0] > after else 1.0)

        with monkeypatch.context() as patch:
            patch.setattr(SingleLabelLoss, "losses", losses)
            model = built()
            stopped(model)
            ends.append(model.state_dict())
    model = built()
    with pytest.raises(KeyboardInterrupt):
        fit(model, DATASET.train, DATASET.validation, FIT, 0, on_batch=_until(3))
    for end in ends:
        assert all(value.equal(end[name]) for name, value in model.state_dict().items())


def _until(step: int):
    def record(epoch: int, done: int, total: int) -> None:
        if done == step:
            raise KeyboardInterrupt

    return record


def test_the_broken_step_is_run_with_its_own_draws(
    look: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What breaks is the third draw of noise: another draw of the same batch would break
    nothing.
    """
    model = built("mlp(hidden=4)+additive+gumbel")
    usual = model.projection.disturb

    def disturb(scores, batch):
        third = model.projection.training and model.projection.batches == 2
        return usual(scores, batch) * (torch.nan if third else 1.0)

    monkeypatch.setattr(model.projection, "disturb", disturb)
    assert stopped(model).startswith(
        f"{at(1, 3)}the loss is nan, and the first that is not finite is the attention;"
    )


def test_a_state_between_two_looks_has_every_step(look: None) -> None:
    found = list[State]()

    class Once(NoStates):
        def due(self) -> bool:
            asked.append(1)
            return len(asked) == 3

        def keep(self, state: State) -> None:
            found.append(state)

    asked, model = list[int](), built()
    fit(model, DATASET.train, DATASET.validation, replace(FIT, epochs=1), 0, states=Once())
    order = training_batches(
        [len(one.tokens) for one in DATASET.train], 8, Seeds(0).generator("order", 1)
    )
    one, total = built(), 0.0
    labels = SingleLabelLoss(DATASET.train, 2, FIT)
    made = steps.EpochSteps(one, labels, _optimiser(one, FIT), FIT)
    one.train()
    for rows in order[:3]:
        total += labels.losses(one, [DATASET.train[i] for i in rows]).sum().item()
        made.make([DATASET.train[i] for i in rows])
    assert [(state.batches, state.total) for state in found] == [(3, total)]


@pytest.mark.parametrize("look_after", [4, 64])
def test_looking_seldom_moves_no_bit(monkeypatch: pytest.MonkeyPatch, look_after: int) -> None:
    def made():
        model = built("bilstm(hidden=4)+additive+gumbel")
        record = fit(
            model, DATASET.train, DATASET.validation, replace(FIT, gradient_clipping=0.3), 0
        )
        return record, model.state_dict()

    record, weights = made()
    usual = steps.EpochSteps.__init__
    monkeypatch.setattr(
        steps.EpochSteps, "__init__", lambda self, *parts: usual(self, *parts, look=look_after)
    )
    seldom, same = made()
    assert seldom == record
    assert all(value.equal(same[name]) for name, value in weights.items())


@pytest.mark.parametrize("name", ["sparsemax", "sparsegen", "entmax"])
def test_a_projection_of_scores_that_are_not_numbers_is_not_one_in_that_row_alone(
    name: str,
) -> None:
    scores = torch.tensor([[1.0, torch.nan, 0.0], [0.5, 0.2, torch.inf], [0.5, 0.2, torch.nan]])
    mask = torch.tensor([[True, True, True], [True, True, True], [True, True, False]])
    project = {
        "sparsemax": projections.sparsemax,
        "sparsegen": lambda *given: projections.sparsegen(*given, 0.5),
        "entmax": lambda *given: projections.entmax(*given, 1.5),
    }[name]
    weights = project(scores, mask)
    assert weights[:2].isnan().all()
    assert weights[2].tolist() == project(torch.tensor([[0.5, 0.2, 0.0]]), mask[2:])[0].tolist()
