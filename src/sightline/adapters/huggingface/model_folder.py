"""Checks the files of a model folder before transformers builds anything from them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import Any

from sightline._io.limits import CLASSES, DEPTH, FILE, LENGTHENED, Bound
from sightline._io.safe_open import open_regular
from sightline.core.errors import DataError, ModelError

CONFIG, TOKENIZER, ADAPTER = "config.json", "tokenizer.json", "adapter_config.json"
SAVE_TOKENIZER = "save it into the folder: tokenizer.save_pretrained(FOLDER)"
WEIGHTS = (".safetensors", ".bin")
"""How the names of files with weights end."""
INDEXES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
"""Index files that name the weight files."""
_CAUSAL = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
"""The suffixes of transformers classes that predict a next token."""
_CLASSIFIER = "ForSequenceClassification"
_COUNTS: Mapping[str, Bound] = {
    "num_labels": CLASSES,
    **dict.fromkeys(
        (
            "num_hidden_layers",
            "num_layers",
            "n_layer",
            "n_layers",
            "encoder_layers",
            "decoder_layers",
            "num_decoder_layers",
        ),
        DEPTH,
    ),
}
"""Names of the configuration fields, in the families of transformers, that set the size of a model."""


def lacking(folder: Path) -> str:
    """Say which file of a model a folder lacks; empty if it has a configuration and weights.

    transformers says it in words of its own, which name no remedy.
    """
    if not folder.is_dir():
        return ""
    if not (folder / CONFIG).is_file():
        if (folder / ADAPTER).is_file():
            return (
                f"it has an adapter ({ADAPTER}) and no whole model; save the model after "
                "merge_and_unload()"
            )
        return f"it has no {CONFIG}"
    weights = any(file.suffix in WEIGHTS for file in folder.iterdir())
    return "" if weights else f"it has a {CONFIG} and no weights, such as model.safetensors"


def check_folder(spec: str, folder: Path) -> None:
    """Raise an error for a folder that would exhaust the machine or read files outside it;
    transformers reports other errors.
    """
    try:
        config = read_json(folder / CONFIG)
        for index in INDEXES:
            _check_shards(spec, folder, index, read_json(folder / index))
        check_normalizer(spec, read_json(folder / TOKENIZER).get("normalizer"))
    except DataError as error:
        raise ModelError(f"{spec}: {error}", field="model") from error
    check_config(spec, config)


def check_config(spec: str, config: Mapping[str, Any], file: str = CONFIG) -> None:
    """Raise an error for a configuration that would exhaust the machine, or whose padding token has
    no embedding.
    """
    _check_counts(spec, config, file)
    pad, size = config.get("pad_token_id"), config.get("vocab_size")
    if isinstance(pad, int) and isinstance(size, int):
        check_pad(spec, pad, size)


def check_causal(spec: str, place: Path, folder: Path) -> None:
    """Raise an error for a model that is no causal language model, and say which spec takes it."""
    packed = sorted(folder.glob("*.gguf")) if not (folder / CONFIG).exists() else []
    if packed:
        raise ModelError(
            f"{spec}: expected a folder that save_pretrained wrote, got one with a GGUF file",
            change=f"name the file: hf-causal:{place / packed[0].name}(…)",
            field="model",
        )
    kinds = architectures(folder)
    if other := next((kind for kind in kinds if not kind.endswith(_CAUSAL)), None):
        change = "name the folder of a causal language model (…ForCausalLM)"
        if "ForSequenceClassification" in other:
            change = f"a classifier is audited without a prompt: hf:{place}"
        elif "ForMaskedLM" in other:
            change = "train a classifier from it, and audit that with hf:"
        raise ModelError(
            f"{spec}: expected a causal language model, got {other[:80]}",
            change=change,
            field="model",
        )


def is_causal(folder: Path) -> bool:
    """Whether the configuration of a folder names a causal language model."""
    kinds = architectures(folder)
    return bool(kinds) and all(kind.endswith(_CAUSAL) for kind in kinds)


def check_kind(spec: str, folder: Path) -> None:
    """Raise an error for a model of another task: the head of a token classifier has the names of a
    text classifier's in some families, and would be read as one.
    """
    kinds = architectures(folder)
    if kinds and not any(kind.endswith(_CLASSIFIER) for kind in kinds):
        message = f"{spec}: expected a text classifier (…{_CLASSIFIER}), got {', '.join(kinds)}"
        raise ModelError(message, change="name the folder of a text classifier", field="model")


def check_adapter(spec: str, folder: Path) -> None:
    """Raise an error if a folder has an adapter next to its model and nothing here can read it: the
    model would be read without what it was trained for.
    """
    both = (folder / ADAPTER).is_file() and (folder / CONFIG).is_file()
    if both and find_spec("peft") is None:
        raise ModelError(
            f"{spec}: expected a whole model, got one with an adapter ({ADAPTER}), which is read "
            "with peft, and there is no peft",
            change="install peft, or save the model after merge_and_unload()",
            field="model",
        )


def architectures(folder: Path) -> list[str]:
    """The classes that the configuration of a folder names."""
    made = read_json(folder / CONFIG).get("architectures")
    return [str(kind) for kind in made] if isinstance(made, list) else []


def check_pad(name: str, pad: int, size: int) -> None:
    """Raise an error for a padding token without a row in the embedding table."""
    if not 0 <= pad < size:
        message = (
            f"{name}: expected pad_token_id from 0 to {size - 1}, a row of its embeddings, got "
            f"{pad}"
        )
        raise ModelError(
            message, change=f"write the number of the tokenizer's padding token into {CONFIG}"
        )


def check_normalizer(name: str, normalizer: Any) -> None:
    """Raise an error for a normalizer that may turn one character into very many; it runs over
    every text.
    """
    longest = prod(_growths(normalizer))
    if longest > LENGTHENED.now:
        raise ModelError(f"{name}: {LENGTHENED.passed(longest)}", field="model")


def check_tokenizer_files(spec: str, folder: Path, tokenizer: Any) -> None:
    """Raise an error for a folder without tokenizer files: transformers would make a tokenizer that
    knows no word.

    A slow tokenizer may have no such file. It is refused later, whatever its files are.
    """
    if not getattr(tokenizer, "is_fast", False):
        return
    names = sorted({TOKENIZER, *tokenizer.vocab_files_names.values()})
    if not any((folder / name).is_file() for name in names):
        message = (
            f"{spec}: expected the files of its tokenizer ({' or '.join(names)}), got a folder "
            "without them"
        )
        raise ModelError(
            message,
            change=SAVE_TOKENIZER,
            field="model",
        )


def read_json(file: Path) -> dict[str, Any]:
    """Read a JSON file as far as possible; transformers reports what is broken in it."""
    if not file.exists():
        return {}
    with (
        open_regular(file, FILE) as stream,
        suppress(ValueError, RecursionError, IsADirectoryError),
    ):
        found = json.load(stream)
        return found if isinstance(found, dict) else {}
    return {}


def _check_counts(spec: str, config: Mapping[str, Any], file: str) -> None:
    parts = [config, *(part for part in config.values() if isinstance(part, dict))]
    for part in parts:
        labels = part.get("id2label")
        counts = {**part, "num_labels": len(labels)} if isinstance(labels, dict) else part
        for name, bound in _COUNTS.items():
            for number in (part.get(name), counts.get(name)):
                if isinstance(number, int | float) and number > bound.now:
                    message = f"{spec}: {file}: {name}: {bound.passed(int(min(number, 1e18)))}"
                    raise ModelError(message, field="model")


def _check_shards(spec: str, folder: Path, index: str, found: Mapping[str, Any]) -> None:
    """Raise an error for an index that names a file outside the folder, even through a link."""
    named = found.get("weight_map")
    for name in dict.fromkeys(map(str, named.values())) if isinstance(named, dict) else ():
        if not _is_inside(folder, name):
            message = f"{spec}: {index}: expected files in the same folder, got {name[:200]!r}"
            raise ModelError(
                message,
                change="put the weights into the folder, and name them by their names",
                field="model",
            )


def _is_inside(folder: Path, name: str) -> bool:
    path = Path(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name:
        return False
    target, home = (folder / path).resolve(), folder.resolve()
    # A snapshot in the cache of transformers is all links into the folder with its blobs.
    cached = home.parent.parent / "blobs" if home.parent.name == "snapshots" else home
    return target.is_relative_to(home) or target.is_relative_to(cached)


def _growths(normalizer: Any) -> Iterator[int]:
    """For each step of a normalizer, give the most characters that it makes of one."""
    if not isinstance(normalizer, dict):
        return
    for one in normalizer.get("normalizers") or ():
        yield from _growths(one)
    if normalizer.get("type") == "Replace":
        yield max(1, _growth(normalizer.get("pattern"), str(normalizer.get("content", ""))))


def _growth(pattern: Any, content: str) -> int:
    known: Mapping[str, Any] = pattern if isinstance(pattern, dict) else {}
    if text := known.get("String"):
        return -(-len(content) // len(str(text)))
    # An expression may match a single character, and one that matches the empty string puts its
    # content between any two characters.
    return len(content) + _finds_nothing(str(known.get("Regex", "")))


def _finds_nothing(expression: str) -> bool:
    try:
        return re.compile(expression).fullmatch("") is not None
    except (re.error, RecursionError, OverflowError):
        return True  # written for another engine
