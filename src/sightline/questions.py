"""What an audit asks: every measure by its code, in the order of the report, and where it is made.

The one list of them: a new measure is its file and a line here. Without torch, so that a spec can name measures.
"""

from __future__ import annotations

from collections.abc import Mapping

MEASURES: Mapping[str, str] = {
    "outputs": "sightline.measures.outputs:Outputs",
    "need": "sightline.measures.need:Need",
    "retrained": "sightline.measures.need:RetrainedUniform",
    "agreement": "sightline.measures.agreement:Agreement",
    "reach": "sightline.measures.reach:Reach",
    "permutation": "sightline.measures.permutation:Permutation",
    "erasure": "sightline.measures.erasure:Erasure",
}
ALWAYS = "outputs"
"""The measure that no audit goes without: what the model answers."""
