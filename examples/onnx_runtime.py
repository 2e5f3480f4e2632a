"""Audit an ONNX file: a model that takes ids and a mask and gives logits, and its tokenizer.

MODEL=model.onnx TOKENIZER=tokenizer.json LABELS=bad,good \
    sightline audit --model answers:onnx_runtime:build --data reviews.csv
"""

import os

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

import sightline


class OnnxClassifier:
    """Probabilities from a session; if it has inputs of other names, adapt this class."""

    def __init__(self, model, tokenizer):
        self.session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
        self.tokenizer = Tokenizer.from_file(tokenizer)
        self.tokenizer.enable_padding()
        self.tokenizer.enable_truncation(512)

    def __call__(self, texts):
        """Give a row of probabilities a text."""
        read = self.tokenizer.encode_batch(texts)
        asked = {
            "input_ids": np.array([one.ids for one in read], dtype=np.int64),
            "attention_mask": np.array([one.attention_mask for one in read], dtype=np.int64),
        }
        logits = self.session.run(None, asked)[0].astype(np.float64)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)


def build():
    predict = OnnxClassifier(os.environ["MODEL"], os.environ["TOKENIZER"])
    return sightline.answers(predict, labels=os.environ["LABELS"].split(","), name="onnx")
