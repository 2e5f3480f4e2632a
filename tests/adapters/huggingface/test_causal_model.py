"""A causal language model that a prompt asks for the class: its logits, its attention, and every
mistake at this door.
"""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

import sightline
from sightline.adapters.compatibility import check
from sightline.adapters.factory import texts_without_data
from sightline.adapters.huggingface import pretrained_parts
from sightline.adapters.huggingface.auditable import HuggingFace
from sightline.adapters.huggingface.causal_model import load_causal
from sightline.adapters.huggingface.from_pretrained import load_huggingface
from sightline.adapters.huggingface.prompt_files import digest, labelled
from sightline.adapters.huggingface.prompted_model import PromptedModel
from sightline.api.model_source import under_reading
from sightline.cli.app import run
from sightline.core.errors import DataError, MissingExtra, ModelError, SpecError
from sightline.measures.transfer.hybrid_texts import Written, answers
from sightline.numerics.projections import renormalise
from tests.adapters.huggingface.causal_toys import (
    ANSWERS,
    CAUSAL,
    TEMPLATE,
    byte_pieces,
    language_model,
)
from tests.adapters.huggingface.toys import LONGEST, classifier, configured, word_pieces
from tests.sampling import slow_but
from tests.texts import example

TEXTS = texts_without_data()
PIECES = byte_pieces()
SHORT = "the film was good"
DOCS = Path(__file__).resolve().parents[3] / "docs"


def model_of(family: str = "llama", **options: Any) -> HuggingFace:
    return sightline.prompted(
        language_model(family, PIECES), PIECES, template=TEMPLATE, answers=ANSWERS, **options
    )


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("causal") / "m"
    language_model("llama", PIECES).save_pretrained(folder)
    PIECES.save_pretrained(folder)
    (folder / "template.txt").write_text(TEMPLATE, encoding="utf-8")
    (folder / "answers.json").write_text('{"0": "bad", "1": "good"}', encoding="utf-8")
    return folder


@pytest.mark.parametrize("head", [1, "mean"])
@pytest.mark.parametrize("family", slow_but({0, 2, 4}, CAUSAL))
def test_every_check_holds(family: str, head: int | str) -> None:
    model = model_of(family, head=head)
    assert (model.architecture.row, model.together, model.last_alone) == ("last", True, True)
    found = {proof.name: proof for proof in check(model, TEXTS, model.labels)}
    assert not [str(proof) for proof in found.values() if proof.outcome == "failed"]
    assert {found[name].outcome for name in ("identity", "used", "padding")} == {"passed"}
    assert found["deletion"].measured is not None


def test_a_window_with_a_single_word_is_refused() -> None:
    model = sightline.prompted(
        language_model("mistral", PIECES, sliding_window=4),
        PIECES,
        template=TEMPLATE,
        answers=ANSWERS,
    )
    trace = model.trace(model.collate(TEXTS))
    assert trace.in_sight is not None
    assert set(trace.in_sight.sum(1).tolist()) == {1}
    found = {proof.name: proof for proof in check(model, TEXTS, model.labels)}
    assert [name for name, proof in found.items() if proof.outcome == "failed"] == ["used"]
    assert found["used"].measured is None  # no weights were tried: there are no others


@pytest.mark.parametrize("family", CAUSAL)
def test_logits_and_attention_are_those_of_the_model_alone(family: str) -> None:
    """Run each prompt by itself, through transformers alone, and read its last row."""
    module = language_model(family, PIECES)
    module.set_attn_implementation("eager")
    model = sightline.prompted(module, PIECES, template=TEMPLATE, answers=ANSWERS, layer=0, head=2)
    trace = model.trace(model.collate(TEXTS))
    numbers = [PIECES(f"Answer: {answer}")["input_ids"][-1] for answer in ANSWERS]
    for row, text in enumerate(TEXTS):
        prompt = PIECES(TEMPLATE.replace("{text}", text.text), return_tensors="pt")
        with torch.no_grad():
            alone = module(**prompt, output_attentions=True)
        assert torch.allclose(trace.logits[row], alone.logits[0, -1, numbers], atol=1e-5)
        weights, words = alone.attentions[0][0, 2, -1], model.collate([text]).attendable
        real = trace.batch.mask[row]
        wanted = renormalise(weights[None], words)[0]
        assert torch.allclose(trace.attention[row][real], wanted, atol=1e-6)
        assert trace.elsewhere is not None
        assert float(trace.elsewhere[row]) == pytest.approx(float(weights[~words[0]].sum()), 1e-4)


def test_the_model_that_is_given_stays_as_it_was() -> None:
    module = language_model("llama", PIECES)
    before = module.get_output_embeddings(), module.training
    text = PIECES(SHORT, return_tensors="pt")
    with torch.no_grad():
        logits = module(**text).logits
        sightline.prompted(module, PIECES, template=TEMPLATE, answers=ANSWERS)
        assert torch.equal(module(**text).logits, logits)
    assert (module.get_output_embeddings(), module.training) == before


def shown(model: HuggingFace, text: str) -> list[tuple[str, int]]:
    batch = model.collate([example(text)])
    return [
        (PIECES.decode([number]), word)
        for number, word in zip(batch.ids[0].tolist(), batch.word[0].tolist(), strict=True)
    ]


def test_words_of_the_template_are_boundary_tokens_and_stay() -> None:
    model = model_of()
    found = shown(model, SHORT)
    assert [piece for piece, word in found if word >= 0] == [" the", " film", " was", " good"]
    assert [word for _, word in found if word >= 0] == [0, 1, 2, 3]
    batch = model.collate([example(SHORT)])
    assert torch.equal(batch.attendable, batch.word >= 0)
    left = batch.keep(batch.mask & ~batch.attendable)
    assert PIECES.decode(left.ids[0]) == TEMPLATE.replace(" {text}", "")


def test_a_piece_that_is_shared_with_the_template_is_of_the_template() -> None:
    pieces = byte_pieces(*["good!!"] * 40)
    template = "Review: {text}!\nAnswer:"
    module = language_model("llama", pieces)
    model = sightline.prompted(module, pieces, template=template, answers=ANSWERS)
    text = example("very good!")
    assert "!!" in [pieces.decode([one]) for one in model.collate([text]).ids[0]]
    seen = model.seen(text)
    assert seen.tokens == ("very", "good")
    batch = model.collate([text])
    left = batch.keep(batch.mask & ~batch.attendable)
    assert pieces.decode(left.ids[0]).endswith("!!\nAnswer:")


def test_a_long_text_loses_its_last_words_and_the_template_none() -> None:
    model = model_of()
    text = example("the film was good " * 40)
    found = shown(model, text.text)
    assert len(found) == LONGEST
    assert "".join(piece for piece, word in found if word < 0) == TEMPLATE.replace(" {text}", "")
    words = len(model.seen(text).tokens)
    assert words + model.beyond(text) == len(text.tokens)
    assert words == len([word for _, word in found if word >= 0])
    assert model.trace(model.collate([text, example(SHORT)])).finite.all()


def test_words_that_were_cut_before_are_not_read() -> None:
    model, whole = model_of(), example("the film was bad")
    cut = replace(whole, tokens=whole.tokens[:2], places=None)
    assert model.reader.read(cut) == model.reader.read(example("the film"))
    assert (model.seen(cut), model.beyond(cut)) == (cut, 0)


def test_a_template_longer_than_the_model_is_refused_before_it_runs() -> None:
    module = language_model("llama", PIECES)
    ran: list[int] = []
    module.register_forward_pre_hook(lambda *_: ran.append(1))
    template = TEMPLATE.replace("Review", "Review " * LONGEST)
    with pytest.raises(ModelError, match="leaves room for a text"):
        sightline.prompted(module, PIECES, template=template, answers=ANSWERS)
    assert not ran  # of a hundred thousand pieces a run takes hours


def test_a_layer_that_sees_no_word_is_refused() -> None:
    module = language_model("gemma3_text", PIECES, sliding_window=4)
    prompt = {"template": f"Review: {{text}}\n{SHORT}\nAnswer:", "answers": ANSWERS}
    with pytest.raises(ModelError, match="its window ends there"):
        sightline.prompted(module, PIECES, **prompt, layer=0)


def test_a_family_without_attention_is_refused() -> None:
    module = language_model("rwkv", PIECES, hidden_size=32, num_hidden_layers=2)
    with pytest.raises(ModelError, match="RwkvForCausalLM: no attention over the tokens"):
        sightline.prompted(module, PIECES, template=TEMPLATE, answers=ANSWERS)


class WithoutTable(LlamaForCausalLM):
    """A model that keeps its embeddings elsewhere, as Perceiver does."""

    def get_input_embeddings(self) -> Any:
        return torch.nn.Parameter(torch.zeros(4, 4))


def test_a_model_without_one_embedding_for_each_token_is_refused() -> None:
    module = WithoutTable(language_model("llama", PIECES).config)
    with pytest.raises(ModelError, match="WithoutTable") as refused:
        sightline.prompted(module, PIECES, template=TEMPLATE, answers=ANSWERS)
    assert "one embedding for each token" in str(refused.value)


class Peeking(LlamaForCausalLM):
    """A model that reads what follows."""

    def forward(self, input_ids: torch.Tensor, **options: Any) -> Any:
        found = super().forward(input_ids=input_ids, **options)
        found.logits = found.logits + input_ids.float().mean() * torch.arange(
            found.logits.shape[-1]
        )
        return found


def test_a_model_that_reads_what_follows_is_refused() -> None:
    module = Peeking(language_model("llama", PIECES).config).eval()
    with pytest.raises(ModelError, match="expected a causal language model"):
        sightline.prompted(module, PIECES, template=TEMPLATE, answers=ANSWERS)


def test_an_output_layer_inside_a_shared_part_is_left_as_it_was() -> None:
    module = language_model(
        "bert", PIECES, is_decoder=True, hidden_size=32, num_hidden_layers=1, num_attention_heads=2
    )
    before = module.get_output_embeddings()
    with pytest.raises(ModelError, match="cannot be cut to the answers"):
        sightline.prompted(module, PIECES, template=TEMPLATE, answers=ANSWERS)
    assert module.get_output_embeddings() is before


# ---------------------------------------------------------------- what all prompts begin with


LONG = "This film was bad.\nAnswer: bad\nReview: {text}\nAnswer:"


def both_ways(family: str, **options: Any) -> tuple[HuggingFace, HuggingFace]:
    """Give a model that keeps the prefix, and the same model that runs it each time."""
    found = [
        sightline.prompted(
            language_model(family, PIECES), PIECES, template=LONG, answers=ANSWERS, **options
        )
        for _ in range(2)
    ]
    found[1].module.prefix, found[1].module.layers = found[1].module.prefix[:0], []
    return found[0], found[1]


def lengths_run(model: HuggingFace, texts: Any) -> set[int]:
    """Say how many tokens of each text the first layer is asked for."""
    seen: set[int] = set()
    part = model.module.get_submodule(model.architecture.sites[0].part)
    hook = part.register_forward_pre_hook(
        lambda _, args, kwargs: seen.add((args[0] if args else kwargs["hidden_states"]).shape[1]),
        with_kwargs=True,
    )
    model.trace(model.collate(texts))
    hook.remove()
    return seen


@pytest.mark.parametrize("family", CAUSAL)
def test_what_all_prompts_begin_with_is_run_once_and_changes_nothing(family: str) -> None:
    kept, plain = both_ways(family)
    batch = kept.collate(TEXTS)
    shared, width = kept.module.shared(batch.ids), batch.ids.shape[1]
    assert PIECES.decode(kept.module.prefix) == LONG.partition(" {text}")[0]
    assert (lengths_run(kept, TEXTS), lengths_run(plain, TEXTS)) == ({width - shared}, {width})
    for name, wanted in plain.read_all(batch).items():
        assert torch.allclose(kept.read_all(batch)[name], wanted, atol=1e-5), name
    one, other = kept.trace(batch), plain.trace(batch)
    for name in ("logits", "attention", "elsewhere", "heads"):
        assert torch.allclose(getattr(one, name), getattr(other, name), atol=1e-5), name
    rolled = [model.under("(reading=rollout)").trace(batch).elsewhere for model in (kept, plain)]
    assert torch.allclose(*rolled, atol=1e-5)


@pytest.mark.parametrize("family", ["llama", "gpt2", "gemma3_text"])
@pytest.mark.parametrize("layer", [0, 1])
def test_other_weights_give_the_same_with_the_prefix_kept(family: str, layer: int) -> None:
    models = both_ways(family, layer=layer)
    drawn = torch.Generator().manual_seed(0)
    batch = models[0].collate(TEXTS)
    weights = renormalise(torch.rand(batch.ids.shape, generator=drawn), batch.attendable)
    found = []
    for model in models:
        trace = model.trace(batch)
        means = [one.means for one in model.added_weights(batch, [])]
        answers = [
            model.decode(trace, weights),
            model.decode_many(trace, torch.stack([weights, weights.flip(0)]))[0],
            model.without_choice(batch, None, None),
            model.without_choice(batch, 0, means),
        ]
        found.append(torch.stack(answers))
    assert torch.allclose(*found, atol=1e-5)
    assert (found[0] - found[0][:1]).abs().amax((1, 2))[2:].min() > 1e-4


def test_a_prefix_that_changes_the_logits_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        PromptedModel,
        "_cache",
        lambda self, texts, own=PromptedModel._cache: _shifted(own(self, texts)),
    )
    kept, _ = both_ways("llama")
    assert kept.module.shared(kept.collate(TEXTS).ids) == 0


def _shifted(cache: Any) -> Any:
    for layer in cache.layers:
        layer.values = layer.values + 0.1
    return cache


# ---------------------------------------------------------------- answers


def pieces_of(answers: Any, template: str = TEMPLATE) -> list[str]:
    """Give the pieces whose rows the output layer keeps."""
    module = language_model("llama", PIECES)
    model = sightline.prompted(module, PIECES, template=template, answers=answers)
    rows, whole = model.module.model.lm_head.weight, module.lm_head.weight
    return [PIECES.decode([int((whole == row).all(1).nonzero()[0])]) for row in rows]


@pytest.mark.parametrize(
    ("template", "wanted"),
    [
        (TEMPLATE, [" bad", " good"]),
        ("Review: {text}\nAnswer: (", ["b", "g"]),
        ("Review: {text}\n", ["b", "g"]),
    ],
)
def test_a_blank_stands_before_an_answer_where_the_template_ends_in_a_mark(
    template: str, wanted: list[str]
) -> None:
    answers = ANSWERS if template == TEMPLATE else ("b", "g")
    assert pieces_of(answers, template) == wanted


def test_an_answer_that_is_no_piece_with_a_blank_is_taken_without_one() -> None:
    assert pieces_of(("b", "g"), "Review: {text}\nAnswer:") == ["b", "g"]


def test_labels_come_from_a_mapping() -> None:
    assert pieces_of({"1": "good", "0": "bad"}) == [" good", " bad"]
    model = sightline.prompted(
        language_model("llama", PIECES),
        PIECES,
        template=TEMPLATE,
        answers={"1": "good", "0": "bad"},
    )
    assert model.labels == ("1", "0")


@pytest.mark.parametrize(
    ("answers", "labels"),
    [({1: "good", 0: "bad"}, ["1", "0"]), ({True: "good", False: "bad"}, ["true", "false"])],
)
def test_labels_of_answers_are_written_as_in_a_table(answers: Any, labels: list[str]) -> None:
    assert [*labelled(answers).items()] == [*zip(labels, ("good", "bad"), strict=True)]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (("negative", "good"), r"got ' negative' = .* \+ .*such as"),
        ({"a": "good", "b": "good"}, "got the same for ' good' and ' good'"),
        (("good",), "expected two or more"),
        (("good", "good"), "'good' is there twice"),
        ({"a": "good", "b": " "}, "expected a label and an answer"),
        ({"a": "good", "b": 0}, "got 0"),
        ((1, 2), "got 1"),
        ({0: "good", "0": "bad"}, "a label is there twice"),
    ],
)
def test_answers_that_do_not_serve_are_refused(answers: Any, message: str) -> None:
    with pytest.raises((ModelError, SpecError), match=message):
        pieces_of(answers)


def test_the_answers_that_are_proposed_are_single_pieces() -> None:
    with pytest.raises(ModelError) as caught:
        pieces_of(("negative", "positive"))
    proposed = caught.value.change.partition("such as ")[2].partition(";")[0].split("|")
    assert len(pieces_of(proposed)) == 2


def test_a_template_that_ends_in_a_blank_is_refused_where_the_answer_takes_it() -> None:
    """Read by itself, the blank is a piece; with the answer, it is part of the answer's."""
    with pytest.raises(ModelError, match=r"expected answers of one token|read together"):
        pieces_of(ANSWERS, "Review: {text}\nAnswer: ")


def test_another_prompt_is_another_model_by_name() -> None:
    made = [
        sightline.prompted(language_model("llama", PIECES), PIECES, template=one, answers=answers)
        for one, answers in (
            (TEMPLATE, ANSWERS),
            (TEMPLATE, ANSWERS[::-1]),
            (f"A {TEMPLATE}", ANSWERS),
            (TEMPLATE, ANSWERS),
        )
    ]
    names = [model.name for model in made]
    assert len({*names}) == 3
    assert names[0] == names[3]
    assert not any("Review" in name for name in names)


# ---------------------------------------------------------------- chat


def in_chat() -> PreTrainedTokenizerFast:
    pieces = byte_pieces(special=("<pad>", "<s>", "<user>", "<reply>"))
    pieces.chat_template = (
        "{% for m in messages %}<user>{{ m['content'] | trim }}{% endfor %}"
        "{% if add_generation_prompt %}<reply>\n{% endif %}"
    )
    return pieces


def test_a_chat_template_is_put_around_the_prompt() -> None:
    pieces = in_chat()
    module = language_model("llama", pieces)
    prompt = {"template": TEMPLATE, "answers": ("b", "g")}
    model = sightline.prompted(module, pieces, **prompt, chat=True)
    batch = model.collate([example(SHORT)])
    asked = TEMPLATE.replace("{text}", SHORT)
    written = pieces.apply_chat_template(
        [{"role": "user", "content": asked}], tokenize=False, add_generation_prompt=True
    )
    assert pieces.decode(batch.ids[0]) == written == f"<user>{asked}<reply>\n"
    special = pieces.convert_tokens_to_ids(["<user>", "<reply>"])
    assert [one for one in special if one in batch.ids[0][~batch.attendable[0]]] == special
    assert batch.attendable.sum() == 4


def test_the_code_of_a_prompt_is_another_for_a_chat_template_that_writes_another_date(
    saved: Path, tmp_path: Path
) -> None:
    folder, names, plain = Path(shutil.copytree(saved, tmp_path / "m")), list[str](), list[str]()
    for day in ("1 May", "1 May", "2 May"):
        pieces = in_chat()
        pieces.chat_template = f"{day} {pieces.chat_template}"
        pieces.save_pretrained(folder)
        language_model("llama", pieces).save_pretrained(folder)
        prompt = {"template": TEMPLATE, "answers": ("b", "g")}
        model = sightline.prompted(language_model("llama", pieces), pieces, **prompt, chat=True)
        asked = f"template={folder / 'template.txt'},answers=b|g"
        loaded = load_causal(f"hf-causal:{folder}({asked},chat=true)")
        assert loaded.name.rpartition("prompt ")[2] == model.name.rpartition("prompt ")[2]
        names.append(model.name)
        plain.append(load_causal(f"hf-causal:{folder}({asked})").name)
    assert names[0] == names[1] != names[2]
    # Without the chat template, a prompt keeps the code that earlier audits gave it.
    assert plain == [f"m with template.txt, prompt {digest(TEMPLATE, labelled(('b', 'g')))}"] * 3
    assert plain[0].endswith("prompt 48d60269")


def test_a_tokenizer_without_a_chat_template_is_refused() -> None:
    with pytest.raises(ModelError, match="needs a chat template"):
        model_of(chat=True)


def test_a_chat_template_that_writes_a_message_twice_is_refused() -> None:
    pieces = in_chat()
    pieces.chat_template = "{% for m in messages %}{{ m['content'] * 2 }}{% endfor %}"
    with pytest.raises(SpecError, match=r"once, where the text goes, got it 2 times"):
        sightline.prompted(
            language_model("llama", pieces),
            pieces,
            template=TEMPLATE,
            answers=("b", "g"),
            chat=True,
        )


# ---------------------------------------------------------------- the spec, and what is wrong there


@pytest.mark.parametrize("answers", ["bad|good", "answers.json"])
def test_a_folder_is_named_in_a_spec(saved: Path, answers: str) -> None:
    named = str(saved / answers) if answers.endswith(".json") else answers
    spec = f"hf-causal:{saved}(template={saved / 'template.txt'},answers={named},layer=0,head=3)"
    model = load_causal(spec)
    assert model.labels == (("0", "1") if named != answers else ("bad", "good"))
    assert str(model.reading) == "(layer=0,head=3)"
    assert model.name.startswith("m with template.txt, prompt ")
    here = model_of(layer=0, head=3)
    batch = model.collate(TEXTS)
    assert torch.allclose(model.trace(batch).logits, here.trace(batch).logits, atol=1e-6)


def test_weights_in_half_precision_are_read_in_whole(tmp_path: Path, saved: Path) -> None:
    """Most language models are saved in half precision, whose rounding would fail a check."""
    folder = Path(shutil.copytree(saved, tmp_path / "m"))
    language_model("llama", PIECES).to(torch.bfloat16).save_pretrained(folder)
    spec = f"hf-causal:{folder}(template={folder / 'template.txt'},answers=bad|good)"
    model = load_causal(spec)
    found = {proof.name: proof.outcome for proof in check(model, TEXTS, model.labels)}
    assert found["precision"] == "passed"


def emptied(folder: Path) -> None:
    (folder / "template.txt").write_text("\n", encoding="utf-8")


def with_template(text: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (folder / "template.txt").write_text(text, encoding="utf-8")

    return damage


def in_latin(folder: Path) -> None:
    (folder / "template.txt").write_bytes("Ok\nFilmkritik für {text}: ".encode("latin-1"))


def without_template(folder: Path) -> None:
    (folder / "template.txt").unlink()


def masked(folder: Path) -> None:
    configured(folder, architectures=["BertForMaskedLM"])


def naming_class(name: str) -> Callable[[Path], None]:
    return partial(configured, auto_map={"AutoModelForCausalLM": f"own_code.{name}"})


def classifying(folder: Path) -> None:
    classifier("bert", tokenizer=word_pieces()).save_pretrained(folder)


def packed(folder: Path) -> None:
    (folder / "config.json").unlink()
    (folder / "m.Q4_0.gguf").write_bytes(b"GGUF")


def with_answers(text: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (folder / "answers.json").write_text(text, encoding="utf-8")

    return damage


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "empty": (emptied, "expected a prompt with {text} in it, got nothing"),
    "no slot": (with_template("Review:"), "got it 0 times"),
    "two slots": (with_template("{text} {text}:"), "got it 2 times"),
    "slot at the end": (with_template("Review: {text}\n"), "ends in a token of the template"),
    "not UTF-8": (in_latin, "template.txt:2: expected UTF-8"),
    "no file": (without_template, "expected a file that can be read"),
    "masked": (masked, "got BertForMaskedLM; train a classifier from it"),
    "a classifier": (classifying, "a classifier is audited without a prompt: hf:"),
    "a class of its own": (naming_class("OwnForCausalLM"), "(OwnForCausalLM), which is never run"),
    "GGUF": (packed, "/m.Q4_0.gguf(…)"),
    "torn JSON": (with_answers("{"), "answers.json: expected a JSON object"),
    "a list": (with_answers('["bad", "good"]'), "answers.json: expected a JSON object such as"),
    "half a character": (with_answers('{"0": "bad\\ud800", "1": "good"}'), "that UTF-8 has"),
    "a label twice": (with_answers('{"0": "bad", "0": "good"}'), "'0' is there twice"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_wrong_is_named(
    name: str, saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damage, message = DAMAGES[name]
    folder = Path(shutil.copytree(saved, tmp_path / "m"))
    damage(folder)
    files = f"template={folder / 'template.txt'},answers={folder / 'answers.json'}"
    assert run(["check-model", f"hf-causal:{folder}({files})"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error
    assert "bug" not in error


def test_a_built_in_language_model_in_the_place_of_own_code_is_noted(
    saved: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(saved, tmp_path / "m"))
    naming_class("LlamaForCausalLM")(folder)
    files = f"template={folder / 'template.txt'},answers={folder / 'answers.json'}"
    notes = load_causal(f"hf-causal:{folder}({files})").notes
    assert [("LlamaForCausalLM" in note, "auto_map" in note) for note in notes] == [(True, True)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "got no template"),
        ("(layer=1)", "got no template"),
        ("(template=FILE)", "got no answers"),
        ("(template=FILE,answers=bad|good,chat=perhaps)", "chat=perhaps: expected true or false"),
        (
            "(template=FILE,answers=bad|good,tone=kind)",
            "expected reading, layer and head, got tone",
        ),
    ],
)
def test_options_that_are_missing_or_unknown(saved: Path, options: str, message: str) -> None:
    written = options.replace("FILE", str(saved / "template.txt"))
    with pytest.raises(SpecError, match=message):
        load_causal(f"hf-causal:{saved}{written}")


# ---------------------------------------------------------------- GGUF files


def write_gguf(file: Path) -> None:
    """Write a small Llama with random weights and a tokenizer of bytes, as llama.cpp has them."""
    gguf = pytest.importorskip("gguf", reason="no gguf")
    pytest.importorskip("accelerate", reason="no gguf")
    size, width, layers = len(PIECES), 32, 2
    writer = gguf.GGUFWriter(str(file), "llama")
    writer.add_context_length(LONGEST)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(width)
    writer.add_head_count(4)
    writer.add_head_count_kv(4)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // 4)
    writer.add_vocab_size(size)
    tokenizer = json.loads(PIECES.backend_tokenizer.to_str())["model"]
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(sorted(tokenizer["vocab"], key=tokenizer["vocab"].get))
    writer.add_token_types([3, 3] + [1] * (size - 2))
    writer.add_token_merges([" ".join(one) for one in tokenizer["merges"]])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(1)
    writer.add_pad_token_id(0)
    drawn = np.random.default_rng(0)
    square = dict.fromkeys(
        ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"),
        (width, width),
    )
    shapes = {"token_embd": (size, width), "output": (size, width), "output_norm": (width,)}
    shapes |= {
        f"blk.{layer}.{name}": shape
        for layer in range(layers)
        for name, shape in {**square, "attn_norm": (width,), "ffn_norm": (width,)}.items()
    }
    for name, shape in shapes.items():
        weights = np.ones(shape) if "norm" in name else 0.15 * drawn.standard_normal(shape)
        writer.add_tensor(f"{name}.weight", weights.astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def test_a_gguf_file_is_a_model_with_its_tokenizer(
    tmp_path: Path, saved: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_gguf(file := tmp_path / "m.gguf")
    files = f"template={saved / 'template.txt'},answers=bad|good"
    model = load_causal(f"hf-causal:{file}({files})")
    assert model.name.startswith("m.gguf with template.txt, prompt ")
    assert model.labels == ANSWERS
    assert {one.dtype for one in model.module.parameters()} == {torch.float32}
    found = {proof.name: proof for proof in check(model, TEXTS, model.labels)}
    assert not [str(proof) for proof in found.values() if proof.outcome == "failed"]
    assert "".join(capsys.readouterr()) == ""
    assert run(["look", f"hf-causal:{file}({files})", SHORT, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"] == model.name


def test_a_torn_gguf_file_is_named(tmp_path: Path, saved: Path) -> None:
    write_gguf(file := tmp_path / "m.gguf")
    whole = file.read_bytes()
    for length in (4, 2000, len(whole) - 1000):
        file.write_bytes(whole[:length])
        with pytest.raises(ModelError, match="expected a GGUF file that transformers can read"):
            load_causal(f"hf-causal:{file}(template={saved / 'template.txt'},answers=bad|good)")


def test_a_gguf_file_needs_its_extra(
    tmp_path: Path, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pretrained_parts, "find_spec", lambda name: None)
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    files = f"template={saved / 'template.txt'},answers=bad|good"
    with pytest.raises(MissingExtra, match=r"no gguf and no accelerate; .*sightline-audit\[gguf\]"):
        load_causal(f"hf-causal:{tmp_path / 'm.gguf'}({files})")


@pytest.mark.parametrize("prefix", ["hf:", ""])
def test_a_gguf_file_under_another_name_is_sent_to_its_door(
    prefix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    assert run(["check-model", f"{prefix}{tmp_path / 'm.gguf'}"]) == 2
    assert f"hf-causal:{tmp_path / 'm.gguf'}(template=FILE,answers=A|B)" in capsys.readouterr().err


def test_a_text_with_a_question_is_refused() -> None:
    with pytest.raises(DataError, match="write the question into the template"):
        model_of().collate([replace(example(SHORT), query=("why",))])


@pytest.mark.parametrize(
    ("model", "reading", "wanted"),
    [
        ("hf-causal:m(template=t,answers=a|b)", "all", "(template=t,answers=a|b,reading=all)"),
        ("hf-causal:m(template=t,answers=a|b)", "layer=1", "(template=t,answers=a|b,layer=1)"),
    ],
)
def test_an_attention_source_joins_the_options(model: str, reading: str, wanted: str) -> None:
    assert under_reading(model, reading) == f"hf-causal:m{wanted}"


def test_one_attention_source_is_named() -> None:
    with pytest.raises(SpecError, match="names its reading already"):
        under_reading("hf-causal:m(template=t,answers=a|b,head=1)", "layer=1")


# ---------------------------------------------------------------- whole commands


def test_look_and_audit_from_the_command_line(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = f"hf-causal:{saved}(template={saved / 'template.txt'},answers={saved / 'answers.json'})"
    assert run(["look", spec, SHORT, "--map", "attention", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["model"].startswith("m with template.txt, prompt ")
    assert [one["word"] for one in found["words"]] == SHORT.split()
    assert sum(one["attention"] for one in found["words"]) == pytest.approx(1, abs=1e-4)
    rows = [f"{text.text},{number % 2}" for number, text in enumerate(TEXTS)]
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["text,label", *rows]), encoding="utf-8")
    command = ["audit", "--model", spec, "--data", str(table), "--out", str(tmp_path / "o.html")]
    assert run([*command, "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["cards"]["model"]["labels"] == ["0", "1"]
    table.write_text("\n".join(["text,label", "good film,maybe", "bad film,never"]), "utf-8")
    assert run([*command, "--json"]) == 2
    assert "the model has no class for" in capsys.readouterr().err


def test_a_language_model_is_no_classifier_and_the_error_says_what_takes_it(saved: Path) -> None:
    with pytest.raises(ModelError, match="hf-causal:FOLDER"):
        load_huggingface(f"hf:{saved}")


def test_the_snippet_of_the_documentation_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (DOCS / "prompted-models.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    names = {"language_model": language_model("llama", PIECES), "tokenizer": PIECES}
    exec(compile(code, "prompted-models.md", "exec"), names)
    assert names["model"].labels == ("0", "1")
    assert "film" in capsys.readouterr().out


def test_models_that_are_trained_already_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "models", "--json"]) == 0
    listed = [row["name"] for row in json.loads(capsys.readouterr().out)["models"]]
    assert any(name.startswith("hf-causal:") for name in listed)


def test_texts_inside_long_prompts_are_run_a_few_at_a_time() -> None:
    template = f"{'the film was good ' * 8}{TEMPLATE}"
    module = language_model("llama", PIECES)
    model = sightline.prompted(module, PIECES, template=template, answers=ANSWERS)
    words = Written(tuple(SHORT.split()), tuple(SHORT.split()))
    texts = [(example(SHORT, index), words) for index in range(16)]
    sizes: list[int] = []
    hook = model.module.register_forward_pre_hook(
        lambda _, args, kwargs: sizes.append(kwargs["input_ids"].numel()), with_kwargs=True
    )
    found = answers(model, texts, 64)
    hook.remove()
    assert max(sizes) <= 2 * 64
    assert found == pytest.approx(answers(model, texts, 10**6), abs=1e-5)


# ---------------------------------------------------------------- offsets of the answers


def biased(towards: str, by: float) -> Any:
    """Make a model that gives one answer more of whatever it reads."""
    module = language_model("llama", PIECES)
    output = torch.nn.Linear(module.lm_head.in_features, module.lm_head.out_features)
    with torch.no_grad():
        output.weight.copy_(module.lm_head.weight)
        output.bias.zero_()
        output.bias[PIECES(f"Answer: {towards}")["input_ids"][-1]] = by
    module.set_output_embeddings(output)
    return module


SOME = [f"the {word} was {other}" for word in ("film", "cast") for other in ("good", "bad", "fine")]


def test_a_model_that_prefers_an_answer_is_balanced_by_texts() -> None:
    prompt = {"template": TEMPLATE, "answers": ANSWERS, "layer": 0, "head": 1}
    plain = sightline.prompted(biased("good", 100), PIECES, **prompt)
    model = sightline.prompted(biased("good", 100), PIECES, **prompt, calibrate_on=SOME)
    batch = model.collate([example(text, number) for number, text in enumerate(SOME)])
    before, after = plain.trace(batch), model.trace(batch)
    assert before.logits.argmax(1).tolist() == [1] * len(SOME)
    apart = after.logits[:, 1] - after.logits[:, 0]
    assert float(apart.mean()) == pytest.approx(0, abs=1e-3)
    assert set(after.logits.argmax(1).tolist()) == {0, 1}
    assert torch.equal(after.attention, before.attention)
    assert model.calibration is not None
    assert model.calibration.texts == len(SOME)
    assert sum(model.calibration.offsets) == pytest.approx(0, abs=1e-4)


def test_offsets_move_no_gradient_and_hold_under_every_weight() -> None:
    prompt = {"template": LONG, "answers": ANSWERS}
    plain = sightline.prompted(biased("good", 3), PIECES, **prompt)
    model = sightline.prompted(biased("good", 3), PIECES, **prompt, calibrate_on=SOME)
    assert model.calibration is not None
    offsets = torch.tensor(model.calibration.offsets)
    batch = model.collate(TEXTS)
    slopes = []
    for one in (plain, model):
        start = one.embed(batch).requires_grad_()
        logits = one.trace(batch, start).logits
        slopes.append(torch.autograd.grad(logits[:, 1].sum(), start)[0])
    assert torch.allclose(*slopes, atol=1e-6)
    found = []
    for one in (plain, model):
        trace = one.trace(batch)
        even = renormalise(torch.ones_like(trace.attention), batch.attendable)
        found.append(
            [
                one.logits(batch),
                trace.logits,
                one.decode(trace, even),
                one.decode_many(trace, even[None])[0],
                one.without_choice(batch, None, None),
            ]
        )
    for before, after in zip(*found, strict=True):
        assert torch.allclose(after, before + offsets, atol=1e-4)


def test_one_text_is_no_list_of_texts_to_calibrate_on() -> None:
    with pytest.raises(SpecError) as caught:
        model_of(calibrate_on="N/A")
    assert caught.value.field == "calibrate_on"


def test_a_model_that_is_calibrated_is_another_by_name() -> None:
    names = [model_of(calibrate_on=texts).name for texts in ((), SOME, SOME[:1], SOME)]
    assert len({*names}) == 3
    assert names[1] == names[3]
    assert names[1].endswith(", calibrated on 6 texts")
    assert names[2].endswith(", calibrated on 1 text")


def test_a_calibrated_model_is_audited_on_other_texts_and_the_report_says_so(
    saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = tmp_path / "c.csv"
    texts.write_text("\n".join(["text", *SOME]), encoding="utf-8")
    spec = (
        f"hf-causal:{saved}(template={saved / 'template.txt'},answers=bad|good,calibrate={texts})"
    )
    rows = [f"{text.text},{ANSWERS[number % 2]}" for number, text in enumerate(TEXTS)]
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["text,label", *rows]), encoding="utf-8")
    command = ["audit", "--model", spec, "--data", str(table), "--out", str(tmp_path / "o.html")]
    assert run([*command, "--json"]) == 0
    card = json.loads(capsys.readouterr().out)["cards"]["model"]
    assert card["calibration"]["texts"] == len(SOME)
    assert {*card["calibration"]["offsets"]} == {"bad", "good"}
    assert "from 6 texts that are not audited" in (
        (tmp_path / "o.html").read_text(encoding="utf-8").replace("\u00a0", " ")
    )
    (tmp_path / "o.html").unlink()
    table.write_text("\n".join(["text,label", *rows, f"{SOME[0]},bad"]), encoding="utf-8")
    assert run([*command, "--json"]) == 2

    error = capsys.readouterr().err
    assert "1 of" in error
    assert "were used to calibrate" in error
    assert not (tmp_path / "o.html").exists()


@pytest.mark.parametrize(
    ("name", "written", "message"),
    [
        ("c.csv", "review\ngood film\n", "c.csv:1: expected a column 'text'"),
        ("c.csv", "text\n", "c.csv: expected a table of texts"),
        ("c.parquet", "PAR1", "expected a file that ends in .csv, .tsv, .jsonl"),
        ("c.jsonl", '{"text": 3}\n', "c.jsonl:1: expected a text in 'text', got 3"),
    ],
)
def test_texts_to_calibrate_on_that_do_not_serve(
    saved: Path, tmp_path: Path, name: str, written: str, message: str
) -> None:
    file = tmp_path / name
    file.write_text(written, encoding="utf-8")
    files = f"template={saved / 'template.txt'},answers=bad|good,calibrate={file}"
    with pytest.raises((DataError, SpecError), match=re.escape(message)):
        load_causal(f"hf-causal:{saved}({files})")
