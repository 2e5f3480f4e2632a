"""Reading a page back: what was opened and closed, with which attributes, and the text inside."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = frozenset({"meta", "link", "br", "hr", "img", "input", "line", "rect", "circle"})


class Page(HTMLParser):
    """A page as a strict reader sees it; ``torn`` lists every tag that does not match."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, dict[str, str]]] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.pieces: list[tuple[tuple[tuple[str, dict[str, str]], ...], str]] = []
        self.torn: list[str] = []
        self.feed(html)
        self.close()
        self.torn += [f"never closed: {tag}" for tag, _ in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.append((tag, found))
        if len(found) != len(attrs):
            self.torn.append(f"an attribute twice: {tag}")
        if tag not in VOID:
            self.open.append((tag, found))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1][0] != tag:
            self.torn.append(f"closes {tag} inside {[name for name, _ in self.open[-2:]]}")
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.pieces.append((tuple(self.open), data))

    def text(self) -> str:
        """All that a reader can read, without the stylesheet, the script and its data."""
        return "".join(
            data for path, data in self.pieces if not path or path[-1][0] not in {"style", "script"}
        )

    def scripts(self) -> dict[str, str]:
        """Each script element by its id; the one that runs has none."""
        found: dict[str, str] = {}
        for path, data in self.pieces:
            if path and path[-1][0] == "script":
                name = path[-1][1].get("id", "")
                found[name] = found.get(name, "") + data
        return found

    def inside(self, tag: str, cls: str) -> list[list[tuple[str, str]]]:
        """For each element of a class, its texts, each with the class of the innermost tag around
        it.
        """
        found: dict[int, list[tuple[str, str]]] = {}
        for path, data in self.pieces:
            for name, attributes in path:
                if name == tag and attributes.get("class") == cls:
                    innermost = path[-1][1].get("class", "")
                    found.setdefault(id(attributes), []).append(
                        (innermost if innermost != cls else "", data)
                    )
        return list(found.values())
