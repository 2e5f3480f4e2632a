"""Folders that are damaged or hostile: each is refused by what is wrong in it, before it costs
anything.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file
from tokenizers import Regex, normalizers
from transformers import AutoTokenizer, BertTokenizer, CanineTokenizer

import sightline
from sightline._io.limits import CLASSES, DEPTH, LENGTHENED, TEXT_TOKENS
from sightline.adapters.compatibility import check
from sightline.adapters.huggingface import model_folder
from sightline.adapters.huggingface.from_pretrained import load_huggingface
from sightline.adapters.huggingface.model_folder import check_normalizer
from sightline.adapters.huggingface.subword_alignment import SubwordReader
from sightline.api.model_source import choose, model_place, under_reading
from sightline.cli.app import run
from sightline.config.spec_syntax import parse_data, place_and_options
from sightline.core.errors import DataError, ModelError
from tests.adapters.huggingface.toys import (
    LONGEST,
    WORDS,
    bytes_in_pairs,
    classifier,
    tokenizer_of,
    whole_words,
    word_pieces,
)
from tests.texts import example

PIECES_OF_WORDS = word_pieces()
LABELS = {0: "alpha", 1: "beta"}
Damage = Callable[[Path], None]


@pytest.fixture(scope="session")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good") / "m"
    classifier("bert", tokenizer=PIECES_OF_WORDS, id2label=LABELS).save_pretrained(folder)
    PIECES_OF_WORDS.save_pretrained(folder)
    return folder


@pytest.fixture
def folder(good: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(good, tmp_path / "m"))


def written(file: str, **changes: Any) -> Damage:
    def damage(folder: Path) -> None:
        output = json.loads((folder / file).read_text(encoding="utf-8"))
        (folder / file).write_text(json.dumps({**output, **changes}), encoding="utf-8")

    return damage


def without_tokenizer(folder: Path) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()


def with_nan(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    weights["classifier.weight"][1, 3] = torch.nan
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


def in_shards(where: str) -> Damage:
    """Name the file with the weights in an index, and put it where the index says."""

    def damage(folder: Path) -> None:
        target = Path(where.replace("HERE", str(folder.parent)))
        (folder / "model.safetensors").rename(folder.parent / "w.safetensors")
        if where.startswith("link"):
            (folder / where).symlink_to(folder.parent / "w.safetensors")
        names = load_file(folder.parent / "w.safetensors")
        index = {"metadata": {"total_size": 1}, "weight_map": dict.fromkeys(names, str(target))}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")

    return damage


def replaced(times: int) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"Regex": "."}, "content": "x" * times}


def with_own_code(*keys: str) -> Damage:
    """Name Python files that would have to be run, and that would end the process."""

    def damage(folder: Path) -> None:
        for name in ("config", "tokenizer_config"):
            file = folder / f"{name}.json"
            known = json.loads(file.read_text(encoding="utf-8"))
            own = dict.fromkeys(keys, "own_code.Own")
            if name == "tokenizer_config" and "AutoTokenizer" in keys:
                known |= {"auto_map": {"AutoTokenizer": [None, "own_code.Own"]}}
                known["tokenizer_class"] = "Own"
            elif name == "config" and "AutoTokenizer" not in keys:
                known |= {"auto_map": own, "model_type": "own"}
            file.write_text(json.dumps(known), encoding="utf-8")
        (folder / "own_code.py").write_text("raise SystemExit(77)", encoding="utf-8")
        if "AutoTokenizer" in keys:
            (folder / "tokenizer.json").unlink()

    return damage


def naming_own_class(auto_map: Any, architecture: str = "BertForSequenceClassification") -> Damage:
    """Name Python files of the folder for a type of model that transformers has built in."""

    def damage(folder: Path) -> None:
        written("config.json", auto_map=auto_map, architectures=[architecture])(folder)
        (folder / "own_code.py").write_text("raise SystemExit(77)", encoding="utf-8")

    return damage


def naming_own_tokenizer(classes: Any) -> Damage:
    return written("tokenizer_config.json", auto_map=classes)


def with_more_words(folder: Path) -> None:
    word_pieces([*WORDS, "zebra", "lorem", "ipsum"], 200).save_pretrained(folder)


ASKED = "AutoModelForSequenceClassification"
PARTS = {"model": ASKED, "tokenizer": "AutoTokenizer"}
NEVER_RUN = "got code of their own .*, which is never run"
REFUSED: dict[str, tuple[Damage, str]] = {
    "no tokenizer": (
        without_tokenizer,
        r"expected the files of its tokenizer \(tokenizer.json or vocab.txt\)",
    ),
    "no vocabulary": (
        lambda folder: (folder / "tokenizer.json").unlink(),
        "expected the files of its tokenizer, got a folder without tokenizer.json",
    ),
    "a model with code of its own": (
        with_own_code("AutoConfig", "AutoModelForSequenceClassification"),
        "got code of their own, which is never run; nothing is downloaded or run",
    ),
    "a tokenizer with code of its own": (
        with_own_code("AutoTokenizer"),
        "got code of their own, which is never run; nothing is downloaded or run",
    ),
    "a class of its own for a built-in type": (
        naming_own_class({ASKED: "own_code.OwnForSequenceClassification"}),
        f"{NEVER_RUN}.*sightline.transformer",
    ),
    "a class of its own in another folder": (
        naming_own_class({ASKED: "somebody/else--own_code.Own"}, "OwnForSequenceClassification"),
        f"{NEVER_RUN}.*sightline.transformer",
    ),
    "layers of its own under a class of its own": (
        naming_own_class({"AutoModel": "own_code.Own"}, "OwnForSequenceClassification"),
        f"{NEVER_RUN}.*sightline.transformer",
    ),
    "a tokenizer class of its own": (
        naming_own_tokenizer({"AutoTokenizer": [None, "own_code.OwnTokenizerFast"]}),
        f"{NEVER_RUN}.*sightline.transformer",
    ),
    "a tokenizer class of its own, in a list": (
        naming_own_tokenizer(["own_code.OwnTokenizer", None]),
        f"{NEVER_RUN}.*sightline.transformer",
    ),
    "words without an embedding": (
        with_more_words,
        "expected tokens from 0 to 66, the rows of the model's embeddings, got a tokenizer with more",
    ),
    "labels without end": (
        written("config.json", num_labels=10**9, id2label=None),
        "num_labels: expected .* 10,000",
    ),
    "layers without end": (
        written("config.json", num_hidden_layers=10**6),
        "num_hidden_layers: expected .* 1,000",
    ),
    "layers as a fraction": (
        written("config.json", num_hidden_layers=1e300),
        "num_hidden_layers: expected .* 1,000",
    ),
    "two labels of one name": (
        written("config.json", id2label={"0": "a", "1": "a"}),
        "'a' for 2 of them",
    ),
    "labels from 1": (
        written("config.json", id2label={"1": "a", "2": "b"}),
        "the classes 0 to 1",
    ),
    "a label without a name": (
        written("config.json", id2label={"0": "a", "1": ""}),
        "the classes 0 to 1",
    ),
    "a token classifier": (
        written("config.json", architectures=["ModernBertForTokenClassification"]),
        "got ModernBertForTokenClassification",
    ),
    "an adapter that nothing here can read": (
        lambda folder: (folder / "adapter_config.json").write_text("{}"),
        "expected a whole model, got one with an adapter",
    ),
    "padding below zero": (
        written("config.json", pad_token_id=-5),
        "pad_token_id from 0 to 66.* got -5",
    ),
    "padding beyond the pieces": (
        written("config.json", pad_token_id=93),
        "pad_token_id from 0 to 66.* got 93",
    ),
    "a weight that is no number": (
        with_nan,
        "1 of its weights hold NaN or infinity, first classifier.weight",
    ),
    "a longer text": (
        written("tokenizer.json", normalizer=replaced(1000)),
        "at most 100 characters, got 1,00",
    ),
    "a longer text step by step": (
        written(
            "tokenizer.json", normalizer={"type": "Sequence", "normalizers": [replaced(10)] * 20}
        ),
        "at most 100 characters",
    ),
    "weights above the folder": (in_shards("../w.safetensors"), r"got '\.\./w.safetensors'"),
    "weights by their whole path": (
        in_shards("HERE/w.safetensors"),
        "expected files in the same folder",
    ),
    "weights behind a link": (in_shards("link.safetensors"), "got 'link.safetensors'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_with_a_folder_is_named_and_costs_nothing(
    name: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    damage, message = REFUSED[name]
    damage(folder)
    monkeypatch.setattr(model_folder, "find_spec", lambda name: None)  # as without peft
    with pytest.raises(ModelError, match=message):
        load_huggingface(f"hf:{folder}")
    assert run(["check-model", f"hf:{folder}"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    (folder.parent / "t.csv").write_text("text,label\nthe film,alpha\na day,beta\n", "utf-8")
    asked = ["--data", str(folder.parent / "t.csv"), "--out", str(folder.parent / "out.html")]
    before = sorted(folder.parent.rglob("*"))
    assert run(["audit", "--model", f"hf:{folder}", *asked]) == 2
    assert sorted(folder.parent.rglob("*")) == before
    assert capsys.readouterr().err.startswith("error: ")
    assert "bug" not in error


def test_a_slow_tokenizer_that_was_saved_is_refused_as_slow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """CANINE and Perceiver read characters and have no fast tokenizer, and no file of tokens."""
    sizes = {"num_hidden_layers": 2, "hidden_size": 32, "num_attention_heads": 4}
    classifier("canine", intermediate_size=64, **sizes).save_pretrained(tmp_path / "m")
    CanineTokenizer().save_pretrained(tmp_path / "m")
    capsys.readouterr()
    assert run(["check-model", f"hf:{tmp_path / 'm'}"]) == 2
    error = capsys.readouterr().err
    assert "where its tokens stand" in error
    assert "audit another model" in error
    assert "save_pretrained" not in error


MISSING: dict[str, tuple[str, str, dict[str, Any], tuple[str, ...]]] = {
    "of a quantized model": (
        "model",
        "A GPTQ model requires optimum (`pip install optimum`).",
        {"quantization_config": {"quant_method": "gptq", "bits": 4}},
        ("(`pip install optimum`); save the model without quantization", "install the package"),
    ),
    "of another kernel": (
        "model",
        "FlashAttention2 seems not to be installed.",
        {"attn_implementation": "flash_attention_2"},
        ("not to be installed; take attn_implementation out of config.json",),
    ),
    "of a model": ("model", "This model needs timm.", {}, ("needs timm; install",)),
    "of a tokenizer": ("tokenizer", "It needs sacremoses.", {}, ("needs sacremoses; install",)),
}


@pytest.mark.parametrize("package", MISSING)
def test_a_whole_folder_that_needs_a_missing_package_is_not_called_broken(
    package: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    part, reason, config, words = MISSING[package]

    def fail(*_: Any, **__: Any) -> None:
        raise ImportError(reason)

    monkeypatch.setattr(getattr(transformers, PARTS[part]), "from_pretrained", fail)
    written("config.json", **config)(folder)
    (folder / "tokenizer.json").unlink()  # such a tokenizer has files of other names
    assert run(["check-model", f"hf:{folder}"]) == 2
    error = capsys.readouterr().err
    assert all(word in error for word in (f"cannot load its {part}", *words)), error
    assert not any(word in error for word in ("save_pretrained wrote", "nothing is downloaded"))


def test_a_good_folder_passes(good: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check-model", f"hf:{good}"]) == 0
    assert "can be audited" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["clf (1)", "bert(layer=1)", "m (final)"])
def test_brackets_in_the_name_of_an_existing_folder_belong_to_its_name(
    name: str, good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shutil.copytree(good, tmp_path / name)
    for prefix in ("", "hf:", "hf-causal:"):
        assert place_and_options(f"{prefix}{folder}") == (f"{prefix}{folder}", "")
        assert place_and_options(f"{prefix}{folder}(layer=0)") == (f"{prefix}{folder}", "(layer=0)")
        missing = tmp_path / "x (1)"
        assert place_and_options(f"{prefix}{missing}()") == (f"{prefix}{missing}", "()")
    assert load_huggingface(f"hf:{folder}").reading.layer == 1
    assert load_huggingface(f"hf:{folder}(layer=0)").reading.layer == 0
    assert under_reading(f"hf:{folder}", "layer=0,head=1") == f"hf:{folder}(layer=0,head=1)"
    assert model_place(f"hf:{folder}") == folder
    assert run(["check-model", f"hf:{folder}"]) == 0
    assert name in capsys.readouterr().out


def test_weights_that_have_no_place_are_noted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    weights = load_file(folder / "model.safetensors")
    more = {"bert.lora_A.weight": torch.ones(2, 2), "bert.embeddings.position_ids": torch.ones(1)}
    save_file({**weights, **more}, folder / "model.safetensors", {"format": "pt"})
    model = load_huggingface(f"hf:{folder}")
    assert model.unused == ("bert.lora_A.weight",)  # positions are no weights of any model
    assert (len(model.notes), model.under(str(model.reading)).notes) == (1, model.notes)
    assert "bert.lora_A.weight" in model.notes[0]
    assert run(["check-model", f"hf:{folder}", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["notes"] == list(model.notes)
    rows = "".join(f"the film was {word},{LABELS[n % 2]}\n" for n, word in enumerate(WORDS))
    (folder.parent / "t.csv").write_text(f"text,label\n{rows}", "utf-8")
    chosen = choose(parse_data(f"csv:{folder.parent / 't.csv'}"), f"hf:{folder}")
    assert chosen.doubts_of(chosen.trained()) == model.notes


@pytest.mark.parametrize(
    ("auto_map", "architecture", "named"),
    [
        (
            {ASKED: "own_code.BertForSequenceClassification"},
            "BertForSequenceClassification",
            "Bert",
        ),
        ({"AutoModel": "own_code.BertModel"}, "BertForSequenceClassification", "Bert"),
        ({}, "OwnForSequenceClassification", "OwnForSequenceClassification"),
    ],
)
def test_a_built_in_class_in_the_place_of_own_code_is_noted(
    auto_map: Any, architecture: str, named: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Many published folders keep code that transformers has since built in."""
    naming_own_class(auto_map, architecture)(folder)
    model = load_huggingface(f"hf:{folder}")
    assert len(model.notes) == 1
    assert named in model.notes[0]
    assert run(["check-model", f"hf:{folder}", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["notes"] == list(model.notes)


def test_a_built_in_tokenizer_in_the_place_of_own_code_is_noted(folder: Path) -> None:
    built = type(AutoTokenizer.from_pretrained(folder)).__name__
    naming_own_tokenizer({"AutoTokenizer": [None, f"own_code.{built}Fast"]})(folder)
    assert built in "".join(load_huggingface(f"hf:{folder}").notes)


def test_a_good_folder_notes_nothing(good: Path) -> None:
    assert load_huggingface(f"hf:{good}").notes == ()


def test_a_text_with_an_added_token_without_an_embedding_is_named(folder: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["newword"])
    tokenizer.save_pretrained(folder)
    model = load_huggingface(f"hf:{folder}")  # most texts hold no such token
    assert model.reader.rows == len(tokenizer) - 1
    model.collate([example("the film was good")])
    with pytest.raises(DataError) as refused:
        model.collate([example("the film was good"), example("a newword day", 1)])
    assert f"got {len(tokenizer) - 1} ('newword')" in str(refused.value)


def test_no_graph_of_the_weights_that_are_read_is_kept(good: Path) -> None:
    model = load_huggingface(f"hf:{good}")
    assert not any(one.requires_grad for one in model.module.parameters())
    texts = [example(" ".join(model.words[:4])), example(" ".join(model.words[2:9]), 1)]
    found = {one.name: one.outcome for one in check(model, texts)}
    assert (found["gradient"], found["embeddings"]) == ("passed", "passed")


def test_weights_in_half_precision_are_read_in_whole(folder: Path) -> None:
    """Nobody at the command line can call module.float()."""
    half = classifier("bert", tokenizer=PIECES_OF_WORDS, id2label=LABELS).to(torch.bfloat16)
    half.save_pretrained(folder)
    module = load_huggingface(f"hf:{folder}").module
    assert {weights.dtype for weights in module.parameters()} == {torch.float32}


@pytest.mark.parametrize(("family", "fewer"), [("bert", 0), ("roberta", 1), ("mpnet", 2)])
def test_the_longest_text_is_found_without_a_longer_one(family: str, fewer: int) -> None:
    """On CUDA, a position that is not in the table breaks the whole process."""
    tokenizer = tokenizer_of(family)
    module, lengths = classifier(family, tokenizer=tokenizer), list[int]()
    module.register_forward_pre_hook(
        lambda _, given, named: lengths.append(named["input_ids"].shape[1]), with_kwargs=True
    )
    model = sightline.transformer(module, tokenizer)
    assert model.reader.longest == max(lengths) == LONGEST - fewer


def test_weights_in_shards_of_the_same_folder_are_read(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "one.safetensors")
    index = {
        "metadata": {},
        "weight_map": dict.fromkeys(load_file(folder / "one.safetensors"), "one.safetensors"),
    }
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    assert load_huggingface(f"hf:{folder}").labels == ("alpha", "beta")


def test_links_of_the_cache_of_transformers_are_followed(folder: Path) -> None:
    """A snapshot is all links into the blobs beside it."""
    home = folder.parent / "models--a--b"
    (home / "blobs").mkdir(parents=True)
    snapshot = home / "snapshots" / "0123"
    snapshot.mkdir(parents=True)
    (folder / "model.safetensors").rename(folder / "one.safetensors")
    index = {
        "metadata": {},
        "weight_map": dict.fromkeys(load_file(folder / "one.safetensors"), "one.safetensors"),
    }
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    for number, file in enumerate(sorted(folder.iterdir())):
        file.rename(home / "blobs" / str(number))
        (snapshot / file.name).symlink_to(Path("../../blobs") / str(number))
    assert load_huggingface(f"hf:{snapshot}").labels == ("alpha", "beta")


@pytest.mark.parametrize("pad", [-1, 10**6])
def test_a_padding_token_without_an_embedding_is_refused_in_python(pad: int) -> None:
    module = classifier("bert", tokenizer=PIECES_OF_WORDS)
    module.config.pad_token_id = pad
    with pytest.raises(ModelError, match="expected pad_token_id from 0"):
        sightline.transformer(module, PIECES_OF_WORDS)


def test_a_tokenizer_that_knows_no_word_is_refused_in_python() -> None:
    with pytest.raises(ModelError, match="special tokens alone"):
        sightline.transformer(classifier("bert", tokenizer=PIECES_OF_WORDS), BertTokenizer())


@pytest.mark.parametrize(("known", "outcome"), [(0, "failed"), (1, "failed"), (2, "passed")])
def test_texts_of_unknown_pieces_are_refused_with_their_share(known: int, outcome: str) -> None:
    """Of twenty words all, 19 or 18 are unknown; 90 % are allowed."""
    tokenizer = whole_words(
        ["the", "film", "was", "good", "and", "people", "in", "it", "were", "very"]
    )
    model = sightline.transformer(classifier("bert", tokenizer=tokenizer), tokenizer)
    words = ["the", "film"][:known] + [f"w{number}" for number in range(20 - known)]
    texts = [example(" ".join(words), number) for number in range(3)]
    found = {proof.name: proof for proof in check(model, texts, model.labels)}["recognised"]
    assert found.measured == pytest.approx(1 - known / 20)
    assert found.outcome == outcome


def test_a_model_of_another_language_is_checked_on_its_own_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokenizer = whole_words([f"wort{'abcdefghij'[number]}" for number in range(10)])
    classifier("bert", tokenizer=tokenizer, id2label=LABELS).save_pretrained(tmp_path / "m")
    tokenizer.save_pretrained(tmp_path / "m")
    assert run(["check-model", f"hf:{tmp_path / 'm'}"]) == 0
    assert run(["look", f"hf:{tmp_path / 'm'}", "the film was long and slow and worta"]) == 0
    with (tmp_path / "t.csv").open("w", encoding="utf-8") as file:
        file.write(
            "text,label\n"
            + "".join(f"the film was number{n} good,{LABELS[n % 2]}\n" for n in range(60))
        )
    capsys.readouterr()
    assert run(["check-model", f"hf:{tmp_path / 'm'}", "--data", str(tmp_path / "t.csv")]) == 2
    assert "its tokenizer knows almost none of these words: 100%" in capsys.readouterr().out


def test_a_real_tokenizer_knows_its_language_and_no_other(real_data: Callable[[str], Path]) -> None:
    tokenizer = AutoTokenizer.from_pretrained(real_data("models/minilm-sst"), local_files_only=True)
    model = sightline.transformer(classifier("bert", tokenizer=tokenizer), tokenizer)
    for text, outcome in (("an oddly beautiful film", "passed"), ("ᚠᚢᚦ ᚨᚱᚲ ᚷᚹᚺ ᚾᛁᛃ", "failed")):
        found = {one.name: one for one in check(model, [example(text, n) for n in range(3)])}[
            "recognised"
        ]
        assert found.outcome == outcome


def test_time_is_estimated_of_texts_with_words_that_share_a_token(
    real_data: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # "°" and "C" are two words, and one token, which belongs to the first of them.
    rows = (f"the film {n} was at 38.5 °C and good,{LABELS[n % 2]}\n" for n in range(40))
    (tmp_path / "t.csv").write_text("text,label\n" + "".join(rows), encoding="utf-8")
    model = f"hf:{real_data('models/minilm-sst')}"
    named = f"{LABELS[0]}=negative,{LABELS[1]}=positive"
    asked = ["audit", "--model", model, "--data", str(tmp_path / "t.csv"), "--label-map", named]
    assert run([*asked, "--dry-run", "--out", str(tmp_path / "r.html")]) == 0, (
        capsys.readouterr().err
    )


def test_a_text_without_any_piece_is_named() -> None:
    reader = SubwordReader(bytes_in_pairs(""), None, 0)
    reader.tokenizer.backend_tokenizer.normalizer = normalizers.Replace("\u200b", "")
    texts = [example("the film", 0), example("\u200b", 1)]
    with pytest.raises(DataError, match=f"text {texts[1].id}: expected tokens of it"):
        reader.batch(texts, torch.device("cpu"))


def test_a_tokenizer_that_gives_nothing_at_all_is_refused() -> None:
    pieces = bytes_in_pairs("")
    pieces.backend_tokenizer.normalizer = normalizers.Replace(Regex("."), "")
    with pytest.raises(ModelError, match="its tokenizer gave none"):
        sightline.transformer(classifier("gpt2", tokenizer=pieces), pieces)


def test_normalizers_in_use_are_below_the_bound() -> None:
    usual = [
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"},
        {"type": "Replace", "pattern": {"String": "``"}, "content": '"'},
        {"type": "NFKC"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    ]
    check_normalizer("m", {"type": "Sequence", "normalizers": usual * 5})
    check_normalizer("m", None)
    with pytest.raises(ModelError, match=str(LENGTHENED.most)):
        check_normalizer("m", {"type": "Replace", "pattern": {"String": ""}, "content": "x" * 100})


def test_a_normalizer_is_looked_at_in_python_too() -> None:
    pieces = word_pieces()
    pieces.backend_tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Replace("a", "b" * 101)]
    )
    with pytest.raises(ModelError, match="at most 100 characters"):
        sightline.transformer(classifier("bert", tokenizer=pieces), pieces)


def test_a_text_of_too_many_pieces_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "sightline.adapters.huggingface.subword_alignment.TEXT_TOKENS",
        type(TEXT_TOKENS)("a text", 4, "pieces", "", ""),
    )
    with pytest.raises(DataError, match="at most 4 pieces"):
        SubwordReader(word_pieces(), None, 0).read(example("the film was good and bad", 0))
    assert (CLASSES.most, DEPTH.most) == (10_000, 1_000)
