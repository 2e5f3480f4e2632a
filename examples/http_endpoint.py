"""Audit a classifier behind an HTTP endpoint, which takes {"texts": […]} and gives {"probabilities":
[[…], …]}, with retries and a rate limit. ANSWERS=FILE keeps the answers, and each text in clear.

ENDPOINT=http://127.0.0.1:8000/ LABELS=bad,good \
    sightline audit --model answers:http_endpoint:build --data reviews.csv
"""

import json
import os
import time
import urllib.error
import urllib.request
from pathlib import Path

import sightline


class Endpoint:
    """Ask a server, at most `per_second` times a second; a busy server is asked again."""

    def __init__(self, address, kept=None, per_second=10.0, tries=5, wait=1.0):
        self.address, self.kept, self.tries, self.wait = address, kept and Path(kept), tries, wait
        self.pause, self.last, self.known = 1 / per_second, 0.0, {}
        if self.kept and self.kept.exists():
            rows = map(json.loads, self.kept.read_text(encoding="utf-8").splitlines())
            self.known = {row["text"]: row["answer"] for row in rows}

    def __call__(self, texts):
        """Give the probabilities of texts; send only texts without a kept answer."""
        missing = [text for text in dict.fromkeys(texts) if text not in self.known]
        if missing:
            new = dict(zip(missing, self._sent(missing), strict=True))
            self.known |= new
            if self.kept:
                with self.kept.open("a", encoding="utf-8") as file:
                    file.writelines(
                        json.dumps({"text": t, "answer": a}) + "\n" for t, a in new.items()
                    )
        return [self.known[text] for text in texts]

    def _sent(self, texts):
        body = json.dumps({"texts": texts}).encode()
        head = {"Content-Type": "application/json"}
        for left in reversed(range(self.tries)):
            time.sleep(max(0.0, self.last + self.pause - time.monotonic()))
            self.last = time.monotonic()
            try:
                asked = urllib.request.Request(self.address, body, head)
                with urllib.request.urlopen(asked, timeout=60) as answer:
                    return json.load(answer)["probabilities"]
            except (urllib.error.URLError, TimeoutError) as error:
                if getattr(error, "code", 503) not in (429, 500, 502, 503, 504) or not left:
                    raise
                time.sleep(self.wait * 2 ** (self.tries - 1 - left))


def build():
    predict = Endpoint(os.environ["ENDPOINT"], os.environ.get("ANSWERS"))
    return sightline.answers(predict, labels=os.environ["LABELS"].split(","), name="endpoint")
