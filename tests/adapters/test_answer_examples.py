"""The examples of models that only answer run as they stand, and each takes few lines."""

import importlib.util
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import sightline
from sightline.adapters.compatibility import check
from sightline.core.errors import AnswerError
from tests.planted.answering import LABELS, by_cue, texts

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = ("sklearn_pipeline", "http_endpoint", "onnx_runtime", "spacy_textcat")


def example(name: str) -> ModuleType:
    """Read an example as a module of its own."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def failed(model, data) -> list[str]:
    return [str(p) for p in check(model, data.test, data.label_names) if p.outcome == "failed"]


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_small(name: str) -> None:
    assert len((EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()) <= 60


def test_the_page_shows_the_example_as_it_is() -> None:
    page = (EXAMPLES.parent / "docs" / "answers.md").read_text(encoding="utf-8")
    shown = page.split("```python\n")[1].split("\n```")[0]
    assert shown.strip() in (EXAMPLES / "sklearn_pipeline.py").read_text(encoding="utf-8")


def test_a_pipeline_of_scikit_learn_is_audited_by_its_weights(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = example("sklearn_pipeline")
    model, data = made.build(), made.DATA
    assert failed(model, data) == []
    audit = sightline.audit(model, data, limit=60)
    results = {one.code: one.result for one in audit.findings}
    assert {results[code] for code in ("SL-303", "SL-301", "SL-102")} == {"passed"}
    assert audit.verdict.of_map == "the score map"


class Server(BaseHTTPRequestHandler):
    """Answer by the cue; every third request is turned away, or all of them."""

    asked, down, sizes = 0, False, []

    def do_POST(self) -> None:
        """Read texts and give probabilities."""
        kind = type(self)
        kind.asked += 1
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        busy = kind.down or kind.asked % 3 == 0
        answer = b"" if busy else json.dumps(
            {"probabilities": by_cue(body["texts"]).tolist()}
        ).encode()  # fmt: skip
        kind.sizes += [] if busy else [len(body["texts"])]
        self.send_response(503 if busy else 200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Iterator[tuple[str, type[Server]]]:
    kind = type("Counting", (Server,), {"asked": 0, "down": False, "sizes": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", kind
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_an_endpoint_is_asked_again_and_its_answers_are_kept(tmp_path: Path) -> None:
    made, kept = example("http_endpoint"), tmp_path / "kept.jsonl"
    with serving() as (address, server):
        one = made.Endpoint(address, kept, per_second=1e6, wait=0.0)
        found = [one([f"{number} cuebeta"]) for number in range(6)]
        assert server.asked > 6  # some were turned away
        assert np.array(found)[:, 0, 1] == pytest.approx(by_cue(["cuebeta"])[0, 1])
        server.down = True
        again = made.Endpoint(address, kept, per_second=1e6, tries=2, wait=0.0)
        assert again(["3 cuebeta"]) == found[3]
        model = sightline.answers(again, labels=LABELS)
        with pytest.raises(AnswerError, match="503"):
            model.cache.answers(["never asked"])


def test_an_endpoint_is_audited(monkeypatch: pytest.MonkeyPatch) -> None:
    made = example("http_endpoint")
    with serving() as (address, server):
        monkeypatch.setenv("ENDPOINT", address)
        monkeypatch.setenv("LABELS", ",".join(LABELS))
        monkeypatch.setattr(
            made.Endpoint.__init__, "__defaults__", (None, 1e6, 5, 0.0)
        )  # a local server needs no rest
        audit = sightline.audit(made.build(), texts(60), limit=12)
    assert sum(server.sizes) >= audit.cards["model"]["answers"]["texts_needed"] - 12
    assert audit.metrics["accuracy"].value == 1.0


def test_an_onnx_file_is_audited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnxruntime", reason="no onnxruntime")
    onnx = pytest.importorskip("onnx", reason="no onnx")
    tokenizers = pytest.importorskip("tokenizers", reason="no tokenizers")
    data = texts(40)
    words = sorted({word for text in data.test for word in text.tokens})
    known = {"[PAD]": 0, "[UNK]": 1} | {word: 2 + place for place, word in enumerate(words)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(known, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    table = np.zeros((len(known), 2), dtype=np.float32)
    table[known["cuealpha"], 0] = table[known["cuebeta"], 1] = 4
    make, kind = onnx.helper, onnx.TensorProto
    graph = make.make_graph(
        [
            make.make_node("Gather", ["table", "input_ids"], ["each"]),
            make.make_node("Cast", ["attention_mask"], ["real"], to=kind.FLOAT),
            make.make_node("Unsqueeze", ["real", "last"], ["column"]),
            make.make_node("Mul", ["each", "column"], ["seen"]),
            make.make_node("ReduceSum", ["seen", "words"], ["logits"], keepdims=0),
        ],
        "cue",
        [make.make_tensor_value_info(name, kind.INT64, ["b", "t"])
         for name in ("input_ids", "attention_mask")],
        [make.make_tensor_value_info("logits", kind.FLOAT, ["b", 2])],
        [onnx.numpy_helper.from_array(array, name) for name, array in (
            ("table", table), ("last", np.array([2])), ("words", np.array([1])))],
    )  # fmt: skip
    built = make.make_model(graph, opset_imports=[make.make_opsetid("", 13)], ir_version=8)
    onnx.save(built, tmp_path / "model.onnx")
    monkeypatch.setenv("MODEL", str(tmp_path / "model.onnx"))
    monkeypatch.setenv("TOKENIZER", str(tmp_path / "tokenizer.json"))
    monkeypatch.setenv("LABELS", ",".join(LABELS))
    model = example("onnx_runtime").build()
    assert failed(model, data) == []
    found = model.cache.answers([text.text for text in data.test])
    assert found == pytest.approx(by_cue([text.text for text in data.test]), abs=1e-6)


def test_a_categoriser_of_spacy_is_audited(monkeypatch: pytest.MonkeyPatch) -> None:
    spacy = pytest.importorskip("spacy", reason="no spacy")
    data = texts(60)
    nlp = spacy.blank("en")
    part = nlp.add_pipe("textcat")
    for label in LABELS:
        part.add_label(label)
    examples = [
        spacy.training.Example.from_dict(
            nlp.make_doc(text.text),
            {"cats": {label: float(place == text.label) for place, label in enumerate(LABELS)}},
        )
        for text in data.test
    ]
    nlp.initialize(lambda: examples)
    for _ in range(5):
        nlp.update(examples)
    model = example("spacy_textcat").answering(nlp)
    assert model.labels == LABELS
    assert failed(model, data) == []
