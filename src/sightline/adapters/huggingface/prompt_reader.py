"""A text inside its prompt, in tokens: the prompt's own words are boundary tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sightline._io.limits import TEXT_TOKENS
from sightline.adapters.huggingface.prompt_files import PromptTemplate
from sightline.adapters.huggingface.subword_alignment import (
    NO_WORD,
    SubwordReader,
    SubwordText,
    word_of,
)
from sightline.core.error_excerpts import show_id
from sightline.core.errors import DataError
from sightline.core.example import Example
from sightline.core.interning import Span


@dataclass(frozen=True, kw_only=True)
class PromptReader(SubwordReader):
    """A tokenizer that reads each text in the slot of a template.

    A prompt is tokenised whole, as the model reads it in use. A token that holds a character of the
    template belongs to the template, even if it also holds part of a word. So deleting words leaves
    the template unchanged, except that blanks between the template and a word go with the word.
    """

    template: PromptTemplate
    special: bool
    """Whether the tokenizer adds its special tokens; a chat template includes them already."""

    def tokenise(self, text: str, answer: str = "") -> tuple[list[int], list[Span]]:
        """Tokenise a prompt, with an answer or without: its tokens, and the position of each."""
        prompt = f"{self.template.before}{text}{self.template.after}{answer}"
        read = self.tokenizer(
            prompt,
            add_special_tokens=self.special,
            return_offsets_mapping=True,
            verbose=False,
        )
        return read["input_ids"], read["offset_mapping"]

    def read(self, example: Example, *, whole: bool = False) -> SubwordText:
        """Cut a prompt into tokens; if the model accepts fewer, the text loses its last tokens and
        the template none.
        """
        if example.query is not None:
            raise DataError(
                f"text {show_id(example.id)}: expected a text alone, got one with a question; a template "
                "has one slot, so write the question into the template"
            )
        text = example.as_read
        ids, places = self.tokenise(text)
        if len(ids) > TEXT_TOKENS.now:
            raise DataError(f"text {show_id(example.id)}: {TEXT_TOKENS.passed(len(ids))}")
        start = len(self.template.before)
        offsets = [(begin + start, end + start) for begin, end in example.offsets]
        inside = [self._is_of_text(place, text) for place in places]
        words = [
            word_of(place, offsets) if of_text else NO_WORD
            for place, of_text in zip(places, inside, strict=True)
        ]
        excess = 0 if whole or self.longest is None else max(0, len(ids) - self.longest)
        kept = _without_last(inside, excess)
        return SubwordText(tuple(ids[i] for i in kept), tuple(words[i] for i in kept))

    def inputs(self, example: Example) -> dict[str, list[int]]:
        """Give the tokens of a prompt with a text in it."""
        ids = list(self.read(example).ids)
        return {"input_ids": ids, "attention_mask": [1] * len(ids)}

    def _is_of_text(self, place: Span, text: str) -> bool:
        """Whether a token lies in the slot; it may begin with blanks of the template."""
        begin, end = place
        start = len(self.template.before)
        blanks = self.template.before[begin:start].strip(" ") == ""
        return start < end <= start + len(text) and blanks


def _without_last(inside: Sequence[bool], excess: int) -> list[int]:
    """The indices of the remaining tokens after cutting the last ``excess`` tokens of the slot."""
    slot = [number for number, of_text in enumerate(inside) if of_text]
    cut = set(slot[max(0, len(slot) - excess) :])
    return [number for number in range(len(inside)) if number not in cut]
