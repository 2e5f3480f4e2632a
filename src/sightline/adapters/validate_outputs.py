"""Validates what a user's functions return; every error says what was expected, what it got, and
what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from traceback import extract_tb
from typing import Any, TypeVar

import torch

from sightline.adapters.shared_pieces import Collate, with_own_tokens, words_of_row
from sightline.core.error_excerpts import left_out, show_id
from sightline.core.errors import ModelError, SightlineError, panicked
from sightline.core.example import Example
from sightline.core.protocols import Batch, Trace

T = TypeVar("T")
Shape = tuple[int | None, ...]
_TORCH = str(Path(torch.__file__).parent)
_OURS = str(Path(__file__).parents[1])
_OUT_OF_MEMORY = "can't allocate memory"
"""Torch's message for lack of memory, in an error without its own class."""


def call_user_code(name: str, function: Callable[..., T], *arguments: Any) -> T:
    """Call a user's function; an error names it and the line that raised."""
    with user_code_errors(name):
        return function(*arguments)


@contextmanager
def user_code_errors(
    name: str, when: Callable[[BaseException], bool] = lambda error: True
) -> Iterator[None]:
    """Turn an error of the user's code into one that names the function and the line that raised.

    `sys.exit` and a panic of a Rust library count as errors. Ctrl-C, SIGTERM and running out of
    memory pass unchanged, and so does every error for which ``when`` is false.
    """

    def explained(error: BaseException) -> ModelError:
        return ModelError(
            f"{name} raised {described(error)}",
            change=f"mend {name} there, or what it is given",
        )

    with _errors_as(explained, when):
        yield


@contextmanager
def probe_errors(name: str, tokens: int) -> Iterator[None]:
    """Turn an error of a model on a made-up text into one that names the model and its line."""

    def explained(error: BaseException) -> ModelError:
        return ModelError(
            f"{name} could not run a made-up text of {tokens} tokens: {described(error)}",
            change="check that the model's own pipeline of transformers answers texts of any "
            "length; if it does not, correct the configuration or the code of the model",
        )

    with _errors_as(explained):
        yield


@contextmanager
def _errors_as(
    explained: Callable[[BaseException], ModelError],
    when: Callable[[BaseException], bool] = lambda error: True,
) -> Iterator[None]:
    try:
        yield
    except (SightlineError, MemoryError, torch.OutOfMemoryError):
        raise
    except BaseException as error:
        if not is_fault(error) or _OUT_OF_MEMORY in str(error) or not when(error):
            raise
        raise explained(error) from error


def described(error: BaseException) -> str:
    """Give the class of an error of the user's code, its message, and the line that raised."""
    # Its message may hold a text, as a KeyError of a missing word does.
    text = "" if left_out() else str(error.msg if isinstance(error, SyntaxError) else error)
    message = next((f": {line}" for line in text.strip().splitlines()), "")
    return f"{type(error).__name__}{message} ({_place(error)})"


def is_fault(error: BaseException) -> bool:
    """Whether an error is a fault of code rather than a request to stop: `sys.exit` and a panic in
    Rust are no `Exception`.
    """
    return isinstance(error, Exception | SystemExit) or panicked(error)


def _place(error: BaseException) -> str:
    """The deepest line outside torch and sightline, which only watch it: the user looks there first."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}:{error.lineno}"
    frames = [
        frame for frame in extract_tb(error.__traceback__) if not frame.filename.startswith(_TORCH)
    ]
    frames = [frame for frame in frames if not frame.filename.startswith(_OURS)] or frames
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "no line is known"


def tensor(name: str, value: object, shape: Shape, device: torch.device) -> torch.Tensor:
    """Check that a value is a floating-point tensor of a shape (None: any size) on a device."""
    wanted = f"a floating-point tensor of shape {_shown(shape)}"
    if not isinstance(value, torch.Tensor):
        raise ModelError(f"{name}: expected {wanted}, got {_kind(value)}", change="return a tensor")
    if not _fits(value, shape):
        raise ModelError(
            f"{name}: expected {wanted}, got {_shown(value.shape)}", change=_reshape(value, shape)
        )
    if not value.is_floating_point():
        raise ModelError(
            f"{name}: expected {wanted}, got {value.dtype}", change="convert it with .float()"
        )
    if value.device != device:
        message = f"{name}: expected it on {device}, where the batch is, got {value.device}"
        raise ModelError(message, change="keep to one device")
    return value


def _fits(value: torch.Tensor, shape: Shape) -> bool:
    return value.ndim == len(shape) and all(
        n in (None, m) for n, m in zip(shape, value.shape, strict=True)
    )


def _reshape(value: torch.Tensor, shape: Shape) -> str:
    squeezed = [n for n in value.shape if n != 1]
    if value.ndim > len(shape) and len(squeezed) <= len(shape):
        return "squeeze the axes of size 1"
    if shape[0] == 1 and _fits(value, shape[1:]) and not _fits(value, shape[:-1]):
        return (
            "the batch has one text, and its axis is gone: squeeze named axes only, or put it back "
            "with .unsqueeze(0)"
        )
    if value.ndim == len(shape) - 1:
        return "add the missing axis with .unsqueeze(-1)"
    return "a row a text, in the order of the batch, and a column a token where there are tokens"


def _shown(shape: Sequence[int | None]) -> str:
    return "×".join("any" if n is None else str(n) for n in shape) or "no axes"


def _kind(value: object) -> str:
    return "nothing (None)" if value is None else type(value).__name__


def entry(returned: Mapping[str, Any], name: str) -> Any:
    """Give one entry of what trace returned."""
    if name not in returned:
        there = ", ".join(map(str, returned)) or "nothing"
        message = f"trace: expected an entry {name!r}, got {there}"
        raise ModelError(message, change="add it to the mapping that trace returns")
    return returned[name]


def batch_of(collate: Collate, examples: Sequence[Example], device: torch.device) -> Batch:
    """Collate texts with a user's function, check the result, a `Batch` or ``(ids, mask)``, and
    move it to a device. It must have a row a text and a token a word.

    A `Batch` may lack words that share a subword with another word.
    """
    returned = call_user_code("collate", collate, examples)
    if not isinstance(returned, Batch):
        return rows_of(_complete(*_pair(returned), examples), examples).to(device)

    def seen(example: Example) -> Example:
        return call_user_code("collate", with_own_tokens, collate, example)

    return rows_of(returned, examples, seen).to(device)


def rows_of(
    batch: object,
    examples: Sequence[Example],
    seen: Callable[[Example], Example] = lambda text: text,
) -> Batch:
    """Check a batch that a user's class collated as strictly as `batch_of` does.

    ``seen`` gives a text with only the words that have a subword of their own.
    """
    if not isinstance(batch, Batch):
        raise ModelError(
            f"collate: expected a sightline.core.protocols.Batch, got {_kind(batch)}",
            change="return a Batch",
        )
    _check_ids(batch.ids, batch.mask, examples)
    _check_rows(batch, examples, seen)
    return batch


def _pair(returned: object) -> tuple[object, object]:
    if isinstance(returned, (tuple, list)) and len(returned) == 2:
        return returned[0], returned[1]
    got = (
        f"{type(returned).__name__} of {len(returned)}"
        if isinstance(returned, (tuple, list))
        else _kind(returned)
    )
    raise ModelError(
        f"collate: expected (ids, mask) or a sightline.core.protocols.Batch, got {got}",
        change="when words are deleted only ids and mask are made again, so compute any other "
        "tensor inside trace, from batch.ids and batch.mask",
    )


def _check_ids(ids: object, mask: object, examples: Sequence[Example]) -> None:
    if (
        not isinstance(ids, torch.Tensor)
        or ids.ndim != 2
        or ids.is_floating_point()
        or ids.dtype == torch.bool
    ):
        got = (
            f"{ids.dtype} of shape {_shown(ids.shape)}"
            if isinstance(ids, torch.Tensor)
            else _kind(ids)
        )
        message = f"collate: expected ids as whole numbers, texts × tokens, got {got}"
        raise ModelError(message, change="pad them to one tensor")
    if not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool:
        got = str(mask.dtype) if isinstance(mask, torch.Tensor) else _kind(mask)
        message = f"collate: expected a bool mask, True on real tokens, got {got}"
        raise ModelError(message, change="give ids != PAD, or .bool()")
    if mask.shape != ids.shape:
        message = f"ids {_shown(ids.shape)} and mask {_shown(mask.shape)}"
        raise ModelError(
            f"collate: expected ids and mask of one shape, got {message}",
            change="make the mask from the ids",
        )
    if len(ids) != len(examples):
        raise ModelError(
            f"collate: expected {len(examples)} rows, one a text, got {len(ids)}",
            change="keep every text",
        )


def _complete(ids: object, mask: object, examples: Sequence[Example]) -> Batch:
    """Make a batch of ids and mask: every real token is a word, and words are numbered from the
    left.

    Ids and mask do not show the word of a subword, so a model of subwords must give a `Batch`.
    """
    _check_ids(ids, mask, examples)
    assert isinstance(ids, torch.Tensor)
    assert isinstance(mask, torch.Tensor)
    real = mask.to(ids.device)
    return Batch(
        ids=ids,
        mask=real,
        attendable=real,
        word=(real.long().cumsum(1) - 1).masked_fill(~real, -1),
        labels=torch.tensor([example.label for example in examples], device=ids.device),
        index=torch.tensor([example.index for example in examples], device=ids.device),
    )


def _check_rows(
    batch: Batch, examples: Sequence[Example], seen: Callable[[Example], Example]
) -> None:
    """Check that row i is text i, and that its words are all there in order, each in one or more
    tokens.
    """
    turned = ModelError(
        "collate: the rows are in another order than the texts",
        change="keep row i for the text examples[i]",
    )
    if batch.index.tolist() != [e.index for e in examples] or batch.labels.tolist() != [
        e.label for e in examples
    ]:
        raise turned
    if (batch.attendable & ~batch.mask).any():
        message = "collate: padding is attendable"
        raise ModelError(message, change="attention may fall on real tokens only, so use & mask")
    found = [words_of_row(batch, row) for row in range(len(examples))]
    wanted = [list(range(len(example.tokens))) for example in examples]
    wrong = next(
        (
            row
            for row, example in enumerate(examples)
            if found[row] != wanted[row]
            and (seen(example) is example or len(seen(example).tokens) != len(found[row]))
        ),
        None,
    )
    if wrong is None:
        return
    if sorted(map(len, found)) == sorted(map(len, wanted)) and list(map(len, found)) != list(
        map(len, wanted)
    ):
        raise turned
    raise _miscounted(examples[wrong], int(batch.attendable[wrong].sum()))


def _miscounted(example: Example, tokens: int) -> ModelError:
    if tokens == len(example.tokens):
        return ModelError(
            f"collate: the words of text {show_id(example.id)} are not numbered from 0 in order",
            change="give word 0, 1, 2 … from the left, −1 on tokens that are no word",
        )
    return ModelError(
        (
            f"collate: text {show_id(example.id)} has {len(example.tokens)} words, and its row has "
            f"{tokens} tokens to attend to"
        ),
        change="give one token for each of example.tokens, or a Batch that says in word which of "
        "them each token belongs to, by example.offsets (boundary tokens: attendable False, word −1), "
        "and cut long texts when they are read (--max-tokens), not in collate",
    )


def trace_of(trace: object, batch: Batch) -> Trace:
    """Check a trace from a user's class before it is used."""
    if not isinstance(trace, Trace):
        raise ModelError(
            f"trace: expected a sightline.core.protocols.Trace, got {_kind(trace)}",
            change="return a Trace",
        )
    texts, tokens = batch.ids.shape
    tensor("trace: embeddings", trace.embeddings, (texts, tokens, None), batch.ids.device)
    tensor("trace: attention", trace.attention, (texts, tokens), batch.ids.device)
    tensor("trace: logits", trace.logits, (texts, None), batch.ids.device)
    return trace
