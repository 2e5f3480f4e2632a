"""What a terminal would obey, or would show in another order than it was written."""

import re

OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
