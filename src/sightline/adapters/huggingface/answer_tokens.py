"""The single token by which a language model gives each answer, as the tokenizer continues the
prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from sightline.adapters.huggingface.model_inspection import SAMPLE
from sightline.adapters.huggingface.prompt_files import ANSWERS
from sightline.adapters.huggingface.prompt_reader import PromptReader
from sightline.core.errors import ModelError

_OPENING = "\"'`([{<“‘«/-_"
"""Characters after which an answer follows without a blank."""
_OTHERS = (("no", "yes"), ("bad", "good"), ascii_uppercase, [str(n) for n in range(1, 10)])
"""Answers to propose if the requested answers have several tokens."""


@dataclass(frozen=True)
class AnswerToken:
    """An answer as written after the prompt, and its token."""

    written: str
    token: int


def answer_tokens(name: str, reader: PromptReader, answers: Mapping[str, str]) -> list[AnswerToken]:
    """Find the token of each answer, after a blank if the tokenizer joins the blank to the answer.

    All answers are written with a blank or all without, whichever gives each a token of its own. An
    answer that begins with a blank is used as it is.
    """
    prompt, _ = reader.tokenise(SAMPLE)
    end = (reader.template.after or " ")[-1]
    blanks = ("",) if end.isspace() or end in _OPENING else (" ", "")
    spellings = [_spelled(answers.values(), blank) for blank in blanks]
    for written in spellings:
        tails = [_continued(reader, prompt, answer) for answer in written]
        if all(tail is not None and len(tail) == 1 for tail in tails):
            found = [
                AnswerToken(answer, tail[0])
                for answer, tail in zip(written, tails, strict=True)
                if tail
            ]
            _check_known(name, reader, found)
            return found
    raise _several(name, reader, prompt, spellings[0])


def _spelled(answers: Iterable[str], blank: str) -> list[str]:
    return [one if one[:1].isspace() else f"{blank}{one}" for one in answers]


def _continued(reader: PromptReader, prompt: Sequence[int], answer: str) -> list[int] | None:
    """Tokenise the prompt with an answer after it; None if the answer changes how the prompt is
    read.
    """
    whole, _ = reader.tokenise(SAMPLE, answer)
    size = len(prompt)
    return list(whole[size:]) if list(whole[:size]) == list(prompt) else None


def _check_known(name: str, reader: PromptReader, found: Sequence[AnswerToken]) -> None:
    """Raise an error for an answer unknown to the tokenizer, and for two answers with one token."""
    if unknown := next((one for one in found if one.token == reader.unknown), None):
        raise ModelError(
            f"{name}: {ANSWERS}: the tokenizer has no token for {unknown.written!r}",
            change=_proposal(reader, len(found)),
            field="model",
        )
    tokens = [one.token for one in found]
    same = [one.written for one in found if tokens.count(one.token) > 1]
    if same:
        raise ModelError(
            f"{name}: {ANSWERS}: expected another token for each, got the same for {same[0]!r} "
            f"and {same[1]!r}",
            change="use answers that the tokenizer tells apart",
            field="model",
        )


def _several(
    name: str, reader: PromptReader, prompt: Sequence[int], written: Sequence[str]
) -> ModelError:
    """Make the error for an answer of several tokens, with a proposal of other answers."""
    for answer in written:
        tail = _continued(reader, prompt, answer)
        if tail is None:
            return ModelError(
                f"{name}: {ANSWERS}: behind the template {answer!r} is read together with its "
                f"last characters {reader.template.after[-5:]!r}",
                change="let the template end without a blank, or in a mark such as a colon",
                field="model",
            )
        if len(tail) != 1:
            shown = " + ".join(repr(reader.tokenizer.decode([piece])) for piece in tail)
            return ModelError(
                f"{name}: {ANSWERS}: expected answers of one token, got {answer!r} = {shown}",
                change=_proposal(reader, len(written)),
                field="model",
            )
    raise AssertionError("one answer is no single token")


def _proposal(reader: PromptReader, count: int) -> str:
    """Propose answers that have one token each after this template."""
    prompt, _ = reader.tokenise(SAMPLE)
    for words in _OTHERS:
        some = list(words)[:count]
        if len(some) < count:
            continue
        for blank in (" ", ""):
            tails = [_continued(reader, prompt, blank + word) for word in some]
            tokens = {tail[0] for tail in tails if tail and len(tail) == 1} - {reader.unknown}
            if len(tokens) == count:
                return (
                    f"ask for answers that are, such as {'|'.join(some)}; a JSON file of labels "
                    "and answers keeps the labels"
                )
    return "ask for answers that are"
