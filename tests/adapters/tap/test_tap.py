"""The tap sees every weight over tokens and nothing else, changes what it is told to, and leaves no
trace behind.
"""

import pytest
import torch
from torch import nn

from sightline.adapters.tap import softmax_tracer
from sightline.adapters.tap.softmax_tracer import Site
from sightline.adapters.tap.tap import Run, editing, find, reading
from sightline.core.errors import ModelError

TEXTS, WIDTH, CLASSES = 3, 8, 5


class Written(nn.Module):
    """Attention written by hand: a weight a word, then a softmax over classes that is none of our
    business.
    """

    def __init__(self, shape: str) -> None:
        super().__init__()
        self.shape, self.score, self.output = shape, nn.Linear(WIDTH, 1), nn.Linear(WIDTH, CLASSES)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        scores = self.score(states)
        if self.shape == "B T":
            weights = torch.softmax(scores.squeeze(-1), dim=1).unsqueeze(-1)
        elif self.shape == "B T 1":
            weights = nn.functional.softmax(scores, 1)
        else:
            weights = scores.transpose(1, 2).softmax(-1).transpose(1, 2)
        return self.output((weights * states).sum(1)).softmax(-1)


class Heads(nn.Module):
    """Scaled dot products, the heads in one axis with the texts as some toolkits have them, or
    apart.
    """

    def __init__(self, *, joined: bool, fused: bool) -> None:
        super().__init__()
        self.joined, self.fused, self.query = joined, fused, nn.Linear(WIDTH, WIDTH)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        by_head = [
            one.unflatten(-1, (2, -1)).transpose(1, 2)
            for one in (self.query(states), states, states)
        ]
        if self.fused:
            mixed = nn.functional.scaled_dot_product_attention(*by_head)
        else:
            query, key, value = (one.flatten(0, 1) for one in by_head) if self.joined else by_head
            mixed = torch.softmax(query @ key.mT / 2, dim=-1) @ value
            mixed = mixed.unflatten(0, (-1, 2)) if self.joined else mixed
        return mixed.transpose(1, 2).flatten(2).mean(1)


class Layers(nn.Module):
    """Two layers of fused attention, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = (Heads(joined=False, fused=True) for _ in range(2))

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return self.second(states + self.first(states)[:, None])


class Stacked(nn.Module):
    """A layer that is one part and runs twice, as in ALBERT."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(WIDTH, 2, 16, batch_first=True, dropout=0.1)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return self.layer(self.layer(states))[:, 0]


def states(tokens: int, texts: int = TEXTS) -> torch.Tensor:
    return torch.randn(texts, tokens, WIDTH, generator=torch.Generator().manual_seed(tokens))


def runs(module: nn.Module) -> list[Run]:
    return [Run(lambda n=n, b=b: module(states(n, b)), b, n) for n, b in ((CLASSES, 4), (7, TEXTS))]


def built(module: type[nn.Module], **options: object) -> nn.Module:
    torch.manual_seed(0)
    return module(**options).eval()


EVERY = [
    *(
        pytest.param(Written, {"shape": shape}, [""], 1, id=shape)
        for shape in ("B T", "B T 1", "B 1 T")
    ),
    *(
        pytest.param(
            Heads, {"joined": joined, "fused": fused}, [""], 2, id=f"heads {joined} {fused}"
        )
        for joined, fused in ((True, False), (False, False), (False, True))
    ),
    pytest.param(Stacked, {}, ["layer.self_attn", "layer.self_attn#1"], 2, id="stacked"),
]


@pytest.mark.parametrize(("kind", "options", "sites", "heads"), EVERY)
def test_weights_are_found_read_and_replaced(
    kind: type, options: dict, sites: list[str], heads: int
) -> None:
    module, text = built(kind, **options), states(7)
    found = find(module, runs(module))
    assert [str(site) for site in found] == sites
    with torch.no_grad():
        plain = module(text)
        with reading(module, found, TEXTS) as kept:
            same = module(text)
        assert torch.allclose(plain, same, atol=1e-6)
        for one in kept.weights.values():
            assert one.shape == (TEXTS, heads, one.shape[2], 7)
            assert torch.allclose(one.sum(-1), torch.ones(()), atol=1e-6)
        with editing(module, {found[-1]: lambda w: w.flip(-1)}, TEXTS):
            other = module(text)
        assert (other - plain).abs().max() > 1e-4
        assert torch.equal(module(text), plain)  # nothing is left in it


def test_what_is_put_in_is_what_is_used() -> None:
    module, text = built(Written, shape="B T 1"), states(7)
    (site,) = find(module, runs(module))
    first = torch.zeros(TEXTS, 1, 1, 7)
    first[..., 0] = 1
    with torch.no_grad(), editing(module, {site: lambda _: first}, TEXTS):
        found = module(text)
        wanted = module.output(text[:, 0]).softmax(-1)
    assert torch.allclose(found, wanted, atol=1e-6)


def test_one_head_of_one_text_is_changed_alone() -> None:
    module, text = built(Heads, joined=True, fused=False), states(7)
    (site,) = find(module, runs(module))

    def change(weights: torch.Tensor) -> torch.Tensor:
        weights = weights.clone()
        weights[1, 1] = weights[1, 1].flip(-1)
        return weights

    with torch.no_grad():
        plain = module(text)
        with editing(module, {site: change}, TEXTS):
            moved = (module(text) - plain).abs() > 1e-7
    assert not moved[[0, 2]].any()
    assert not moved[1, : WIDTH // 2].any()
    assert moved[1, WIDTH // 2 :].any()


def test_gradients_run_through_what_is_put_in() -> None:
    module, text = built(Heads, joined=False, fused=True), states(7)
    (site,) = find(module, runs(module))
    weights = torch.full((TEXTS, 2, 7, 7), 1 / 7, requires_grad=True)
    with editing(module, {site: lambda _: weights}, TEXTS):
        (slope,) = torch.autograd.grad(module(text).sum(), weights)
    assert slope.abs().min() > 0


def test_an_axis_that_only_happens_to_be_as_long_as_a_text_is_no_attention() -> None:
    module = built(Written, shape="B T")
    classes_long = Run(lambda: module(states(CLASSES)), TEXTS, CLASSES)
    assert len(find(module, [classes_long])) == 2  # one length cannot tell
    assert len(find(module, runs(module))) == 1


@pytest.mark.filterwarnings("ignore:Implicit dimension choice")
@pytest.mark.parametrize("shape", [(), (4,), (4, 3), (4, 3, 2), (4, 3, 2, 5)])
def test_a_softmax_that_names_no_axis_has_torchs_own(shape: tuple[int, ...]) -> None:
    sums = []

    def seen(_: Site, weights: torch.Tensor, dim: int) -> torch.Tensor:
        sums.append(weights.sum(dim))
        return weights

    bare = nn.Softmax()
    bare.forward = nn.functional.softmax
    for module in (nn.Softmax(), bare):
        with softmax_tracer.watching(module, seen):
            module(torch.randn(shape))
    assert len(sums) == 2
    assert all(torch.allclose(one, torch.ones(())) for one in sums)


def test_a_run_that_breaks_leaves_nothing_behind() -> None:
    module = built(Stacked)
    sites = find(module, runs(module))
    with pytest.raises(RuntimeError), reading(module, sites, TEXTS):
        module(torch.zeros(2, 3, WIDTH + 1))
    with reading(module, sites, TEXTS) as kept:
        module(states(7))
    assert set(kept.weights) == set(sites)
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in module.modules())


def test_parts_without_a_wanted_site_are_not_watched() -> None:
    module = nn.Sequential(Layers(), nn.Sequential(Written("B T"), nn.Linear(CLASSES, 2))).eval()
    with editing(module, {Site("1.0"): lambda weights: weights}, TEXTS):
        watched = {name for name, part in module.named_modules() if part._forward_hooks}
    assert watched == {"", "1.0", "1.0.score", "1.0.output"}
    with editing(module, {Site(""): lambda weights: weights}, TEXTS):
        assert all(part._forward_hooks for part in module.modules())


def test_a_softmax_in_a_part_of_a_wanted_part_is_its_own_site() -> None:
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Written("B T 1")

        def forward(self, texts: torch.Tensor) -> torch.Tensor:
            weights = texts.sum(2).softmax(1)
            return self.inner(texts * weights[:, :, None])

    module = nn.Sequential(Outer()).eval()
    with reading(module, [Site("0")], TEXTS) as kept, torch.no_grad():
        module(states(7))
    assert torch.allclose(kept.weights[Site("0")][:, 0, 0], states(7).sum(2).softmax(1))


def test_a_site_is_told_as_its_part_and_its_turn() -> None:
    assert (str(Site("a.b")), str(Site("a.b", 2))) == ("a.b", "a.b#2")


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("averaged", [True, False, None])
def test_the_twin_of_multi_head_attention_is_torchs_own(first: bool, averaged: bool | None) -> None:
    torch.manual_seed(0)
    module = nn.MultiheadAttention(WIDTH, 2, batch_first=first, kdim=6, vdim=4).eval()
    query, key, value = (torch.randn(5, TEXTS, size) for size in (WIDTH, 6, 4))
    padded = torch.tensor(
        [[False] * 5, [False, False, False, True, True], [False, True, True, True, True]]
    )
    causal = torch.ones(5, 5).triu(1).bool()
    given = [one.transpose(0, 1) if first else one for one in (query, key, value)]
    values = {"need_weights": averaged is not None, "average_attn_weights": averaged is not False}
    with torch.no_grad():
        wanted, weights = module(*given, key_padding_mask=padded, attn_mask=causal, **values)
        with reading(module, [Site("")], TEXTS) as seen:
            found, ours = module(*given, key_padding_mask=padded, attn_mask=causal, **values)
    assert torch.allclose(found, wanted, atol=1e-6)
    assert seen.weights[Site("")].shape == (TEXTS, 2, 5, 5)
    assert (weights is None) is (ours is None)
    assert weights is None or torch.allclose(weights, ours, atol=1e-6)


def test_one_text_without_an_axis_of_texts_is_read_too() -> None:
    torch.manual_seed(0)
    module, text = nn.MultiheadAttention(WIDTH, 2).eval(), torch.randn(5, WIDTH)
    with torch.no_grad():
        wanted, weights = module(text, text, text)
        with reading(module, [Site("")], 1):
            found, ours = module(text, text, text)
    assert torch.allclose(found, wanted, atol=1e-6)
    assert torch.allclose(weights, ours, atol=1e-6)


def test_fused_attention_is_written_out_where_it_is_read_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[int] = []
    fused = nn.functional.scaled_dot_product_attention
    twin = softmax_tracer.FUSED[fused]

    def counted(*args: object, **given: object) -> torch.Tensor:
        written.append(1)
        return twin(*args, **given)

    monkeypatch.setitem(softmax_tracer.FUSED, fused, counted)
    torch.manual_seed(0)
    module = Layers().eval()
    text = states(7)
    plain = module(text)
    for site in (Site("first"), Site("second")):
        written.clear()
        with reading(module, [site], TEXTS) as kept:
            found = module(text)
        assert len(written) == 1
        assert list(kept.weights) == [site]
        assert torch.allclose(found, plain, atol=1e-6)


@pytest.mark.parametrize("mask", ["none", "added", "bool", "causal", "empty row"])
def test_the_twin_of_the_fused_product_is_torchs_own(mask: str) -> None:
    torch.manual_seed(0)
    query, key, value = (torch.randn(TEXTS, heads, 5, 4) for heads in (4, 2, 2))
    given: dict = {"scale": 0.3, "enable_gqa": True}
    allowed = torch.rand(TEXTS, 1, 5, 5) > 0.3
    allowed[..., 0] = True
    if mask == "empty row":
        allowed[0, 0, 0] = False
    given |= {
        "none": {},
        "added": {"attn_mask": torch.randn(5, 5)},
        "causal": {"is_causal": True},
    }.get(mask, {"attn_mask": allowed})

    class Fused(nn.Module):
        def forward(self) -> torch.Tensor:
            return nn.functional.scaled_dot_product_attention(query, key, value, **given)

    module = Fused()
    with reading(module, [Site("")], TEXTS) as kept:
        found = module()
    assert torch.allclose(found, module(), atol=1e-6)
    assert kept.weights[Site("")].shape == (TEXTS, 4, 5, 5)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"add_bias_kv": True}, "bias_k"), ({"add_zero_attn": True}, "add_zero_attn")],
)
def test_what_cannot_be_read_is_refused_by_name(options: dict, message: str) -> None:
    module, text = nn.MultiheadAttention(WIDTH, 2, **options).eval(), torch.randn(5, TEXTS, WIDTH)
    with pytest.raises(ModelError, match=message), reading(module, [Site("")], TEXTS):
        module(text, text, text)


def test_dropout_on_attention_is_refused() -> None:
    module, text = nn.MultiheadAttention(WIDTH, 2, dropout=0.1), torch.randn(5, TEXTS, WIDTH)
    with pytest.raises(ModelError, match=r"dropout of 0\.1"), reading(module, [Site("")], TEXTS):
        module(text, text, text)
