// One opened text: drawn by the maps that are switched on; answers clicks and keys on its words.

class Opened {
  constructor(index, blocks) {
    this.index = index;
    this.blocks = blocks;
    this.element = document.getElementById("opened");
    this.element.addEventListener("click", (event) => this.clicked(event));
    this.element.addEventListener("keydown", (event) => this.pressed(event));
  }

  /** Read a text and its numbers, and draw them. */
  async show(row, around) {
    const record = this.index.texts ? await this.blocks.text(row) : null;
    const numbers = record ? await this.blocks.numbersOf(row) : null;
    if (around.stale()) return;
    this.row = row;
    this.cut = record ? cut(record) : { words: [], rest: "" };
    this.query = record?.query;
    this.all = record ? viewsOf(this.index, record, numbers) : [];
    this.sums = record && this.index.sums ? drawSums(this.index.sums, numbers.at(-1)) : [];
    this.draw(around.neighbours());
  }

  draw(neighbours) {
    const id = this.index.ids[this.row];
    const title = make("h3", { id: "opened-title", tabindex: "-1" }, "Text ", named(shortened(id, 200)));
    const words = this.index.words[this.row];
    const about = make("p", { class: "about" }, ...facts(this.index, this.row), ` · ${counted(words)} ${words === 1 ? "word" : "words"}`);
    // Empty but there: a screen reader reads out only what changes in a place it knows.
    this.numbers = make("div", { class: "numbers", role: "status", "aria-live": "polite" });
    this.maps = make("div", {});
    this.ways = make("p", { class: "ways" });
    const query = this.query === undefined ? [] : [make("p", { class: "query" }, "query: ", named(shortened(this.query, 2000)))];
    this.element.replaceChildren(title, about, this.ways, ...query, this.maps, ...this.sums, this.numbers);
    this.beside(neighbours);
    this.asked = 0;
    this.unfold();
  }

  /** Link to the texts before and after in the list, and to this one. */
  beside({ earlier, later }) {
    const way = (row, name) => (row === undefined ? [] : [make("a", { href: linkTo(this.index, row) }, name)]);
    this.ways.replaceChildren(...way(earlier, "previous text"), ...way(later, "next text"), ...way(this.row, "link to this text"));
  }

  /** Draw the maps that are switched on, folded, and a button for what is still left out. */
  unfold() {
    this.views = this.index.texts ? shownOf(this.index, this.all) : [];
    const { words } = this.cut;
    const ranges = folded(this.views, words, this.asked);
    this.maps.replaceChildren(...this.views.flatMap((view) => drawMap(view, this.cut, ranges, this.index, this.row)));
    const shown = wordsIn(ranges);
    if (shown >= words.length) return;
    const next = Math.min(words.length, ranges[0][1] + MORE_WORDS);
    const more = wordsIn(folded(this.views, words, next)) - shown;
    const button = make("button", { type: "button" }, `Show ${counted(more)} more words (${counted(shown)} of ${counted(words.length)} are shown)`);
    button.addEventListener("click", () => {
      this.asked = next;
      this.unfold();
      this.maps.querySelector(`[data-word="${ranges[0][1]}"]`)?.focus();
    });
    this.maps.append(button);
  }

  clicked(event) {
    const span = event.target.closest("[data-word]");
    if (span) this.pick(span);
  }

  pressed(event) {
    const span = event.target.closest("[data-word]");
    if (event.key === "Escape") return this.unpick();
    if (!span || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    if (event.key === "Enter" || event.key === " ") this.pick(span);
    else if (!this.move(span, event.key)) return undefined;
    event.preventDefault();
    return undefined;
  }

  /** Move the focus from word to word; say whether the key was one of these. */
  move(span, key) {
    const map = span.parentElement;
    const row = [...map.querySelectorAll("[data-word]")];
    const at = row.indexOf(span);
    const maps = [...this.maps.querySelectorAll(".map")];
    const beside = (step) => maps[maps.indexOf(map) + step]?.querySelector(`[data-word="${span.dataset.word}"]`);
    const to = { ArrowRight: row[at + 1], ArrowLeft: row[at - 1], Home: row[0], End: row.at(-1), ArrowDown: beside(1), ArrowUp: beside(-1) };
    if (!(key in to)) return false;
    if (to[key]) this.focus(to[key]);
    return true;
  }

  focus(span) {
    for (const other of span.parentElement.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    span.tabIndex = 0;
    span.focus();
  }

  /** Mark a word in every map and tell its numbers. */
  pick(span) {
    this.unpick();
    this.focus(span);
    for (const same of this.maps.querySelectorAll(`[data-word="${span.dataset.word}"]`)) same.setAttribute("aria-pressed", "true");
    this.numbers.replaceChildren(...numbersOf(this.all, this.cut.words, Number(span.dataset.word)));
  }

  unpick() {
    for (const old of this.maps.querySelectorAll('[aria-pressed="true"]')) old.setAttribute("aria-pressed", "false");
    this.numbers.replaceChildren();
  }
}
