"""Reads the files and options of a prompt: its template with one slot for the text, and its
answers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sightline._io.limits import LINE
from sightline._io.safe_open import open_regular
from sightline.adapters.label_alignment import as_read
from sightline.config.json_reader import unrepeated
from sightline.config.part_syntax import parse_part
from sightline.core.errors import DataError, SpecError

SLOT = "{text}"
TEMPLATE, ANSWERS, CHAT, CALIBRATE = "template", "answers", "chat", "calibrate"
_BETWEEN = "|"
_WRITTEN = f"({TEMPLATE}=FILE,{ANSWERS}=negative|positive)"


@dataclass(frozen=True)
class PromptOptions:
    """The prompt options of a spec: the template file, the answers by label, whether to put the
    tokenizer's chat template around the prompt, and the file of calibration texts.
    """

    template: Path
    answers: Mapping[str, str]
    chat: bool
    calibrate: Path | None


@dataclass(frozen=True)
class PromptTemplate:
    """The parts before and after a text, the same for every text."""

    before: str
    after: str


def read_prompt_options(spec: str, options: str) -> tuple[PromptOptions, str]:
    """Read ``(template=FILE,answers=A|B)``, and give the remaining options as written."""
    asked = dict(parse_part(f"prompt{options}").options)
    template, answers = asked.pop(TEMPLATE, None), asked.pop(ANSWERS, None)
    chat, texts = asked.pop(CHAT, False), asked.pop(CALIBRATE, None)
    if template is None or answers is None:
        missing = TEMPLATE if template is None else ANSWERS
        raise SpecError(
            f"{spec}: expected {_WRITTEN} behind the model, got no {missing}", field="model"
        )
    if not isinstance(chat, bool):
        raise SpecError(f"{CHAT}={chat}: expected true or false", field="model")
    rest = ",".join(f"{name}={value}" for name, value in asked.items())
    found = PromptOptions(
        Path(str(template)).expanduser(),
        _answers(str(answers)),
        chat,
        None if texts is None else Path(str(texts)).expanduser(),
    )
    return found, f"({rest})" if rest else ""


def read_template(file: Path) -> str:
    """Read a template; line ends become newlines, and a final newline is dropped."""
    raw = _bytes_of(file, TEMPLATE)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise DataError("expected UTF-8, got other bytes; save it as UTF-8", file, line) from None
    text = text.replace("\r\n", "\n").removesuffix("\n")
    parse_template(text, str(file))
    return text


def parse_template(text: str, where: str = TEMPLATE) -> PromptTemplate:
    """Split a template at its only slot; text after the slot must ask for the answer."""
    if not text.strip():
        raise SpecError(f"{where}: expected a prompt with {SLOT} in it, got nothing", field="model")
    if (slots := text.count(SLOT)) != 1:
        raise SpecError(
            f"{where}: expected {SLOT} once, where the text goes, got it {slots} times; "
            "write it in one place",
            field="model",
        )
    return PromptTemplate(*text.split(SLOT))


def check_answers(answers: Mapping[str, str]) -> None:
    """Raise an error for fewer than two answers, and for empty labels and answers."""
    if len(answers) < 2:
        raise SpecError(
            f"{ANSWERS}: expected two or more, such as {ANSWERS}=negative|positive, got "
            f"{len(answers)}",
            field="model",
        )
    for label, answer in answers.items():
        both = f"{label}{answer}"
        can_be_written = both.encode(errors="replace").decode() == both
        if not (label.strip() and answer.strip() and can_be_written):
            raise SpecError(
                f"{ANSWERS}: expected a label and an answer in signs that UTF-8 has, got "
                f"{label!r}: {answer!r}; write both",
                field="model",
            )


def labelled(answers: Mapping[Any, Any] | Sequence[Any]) -> dict[str, str]:
    """Give answers by their labels, which are written as those of a table; in a plain list, each
    answer is its own label.
    """
    if not isinstance(answers, Mapping):
        if twice := next((one for one in answers if list(answers).count(one) > 1), None):
            raise SpecError(f"{ANSWERS}: {twice!r} is there twice; name each once", field="model")
        answers = {answer: answer for answer in answers}
    if odd := [one for one in answers.values() if not isinstance(one, str)]:
        raise SpecError(
            f"{ANSWERS}: expected a text for each label, got {odd[0]!r:.60}; write it in quotes",
            field="model",
        )
    by_label = as_read(answers)
    if len(by_label) < len(answers):  # such as 0 and "0"
        raise SpecError(f"{ANSWERS}: a label is there twice; name each once", field="model")
    return by_label


def digest(
    template: str,
    answers: Mapping[str, str],
    calibrate: Sequence[str] = (),
    *,
    chat: PromptTemplate | None = None,
) -> str:
    """Fingerprint a prompt and its calibration texts, so that audits of different prompts can be
    distinguished. Its words may be private, so reports leave them out.

    ``chat`` is the prompt as a chat template writes it, which may add a date or words of its own.
    """
    written = False if chat is None else SLOT.join((chat.before, chat.after))
    known: list[object] = [template, list(answers.items()), written]
    content = json.dumps([*known, list(calibrate)] if calibrate else known)
    return hashlib.blake2b(content.encode(), digest_size=4).hexdigest()


def _answers(written: str) -> dict[str, str]:
    if written.endswith(".json"):
        return _answers_of(Path(written).expanduser())
    return labelled([answer.strip() for answer in written.split(_BETWEEN)])


def _answers_of(file: Path) -> dict[str, str]:
    content = _bytes_of(file, ANSWERS)
    try:
        found = json.loads(content.decode("utf-8-sig"), object_pairs_hook=unrepeated)
    except (ValueError, RecursionError) as error:
        message = f"expected a JSON object of labels and their answers: {error}"
        raise DataError(message, file) from None
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        message = 'expected a JSON object such as {"0": "negative", "1": "positive"}'
        raise DataError(f"{message}, got other values", file)
    return found


def _bytes_of(file: Path, option: str) -> bytes:
    try:
        with open_regular(file, LINE) as stream:
            return stream.read()
    except OSError as error:
        raise SpecError(
            f"{option}={file}: expected a file that can be read: {error.strerror}", field="model"
        ) from error
