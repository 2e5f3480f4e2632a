// The explorer: questions from the reader in, a list and one opened text out. State lives in one object.

/** Shows one text, and answers clicks and keys on its words. */
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
    const told = this.index.texts ? await this.blocks.text(row) : null;
    const numbers = told ? await this.blocks.numbersOf(row) : null;
    if (around.stale()) return;
    this.cut = told ? cut(told) : { words: [], rest: "" };
    this.query = told?.query;
    this.views = told ? viewsOf(this.index, told, numbers) : [];
    this.draw(row, around.neighbours(), told ? folded(this.cut.words) : 0);
  }

  draw(row, neighbours, shown) {
    const id = this.index.ids[row];
    const title = make("h3", { id: "opened-title", tabindex: "-1" }, "Text ", named(shortened(id, 200)));
    const words = this.index.words[row];
    const about = make("p", { class: "about" }, ...facts(this.index, row), ` · ${counted(words)} ${words === 1 ? "word" : "words"}`);
    // Empty but there: a screen reader reads out only what changes in a place it knows.
    this.numbers = make("div", { class: "numbers", role: "status", "aria-live": "polite" });
    this.maps = make("div", {});
    this.ways = make("p", { class: "ways" });
    const query = this.query === undefined ? [] : [make("p", { class: "query" }, "query: ", named(shortened(this.query, 2000)))];
    this.element.replaceChildren(title, about, this.ways, ...query, this.maps, this.numbers);
    this.beside(id, neighbours);
    this.unfold(shown);
  }

  /** Link to the texts before and after in the list, and to this one. */
  beside(id, { earlier, later }) {
    const way = (row, name) => (row === undefined ? [] : [make("a", { href: linkTo(this.index.ids[row]) }, name)]);
    const link = make("a", { href: linkTo(id) }, "link to this text");
    this.ways.replaceChildren(...way(earlier, "previous text"), ...way(later, "next text"), link);
  }

  /** Draw every map up to a word, and a button for what is still folded. */
  unfold(shown) {
    const total = this.cut.words.length;
    this.maps.replaceChildren(...this.views.flatMap((view) => drawMap(view, this.cut, shown)));
    if (shown >= total) return;
    const next = Math.min(total, shown + MORE_WORDS);
    const more = make("button", { type: "button" }, `Show ${counted(next - shown)} more words (${counted(shown)} of ${counted(total)} are shown)`);
    more.addEventListener("click", () => {
      this.unfold(next);
      this.maps.querySelector(`[data-word="${shown}"]`)?.focus();
    });
    this.maps.append(more);
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
    this.numbers.replaceChildren(...numbersOf(this.views, this.cut.words, Number(span.dataset.word)));
  }

  unpick() {
    for (const old of this.maps.querySelectorAll('[aria-pressed="true"]')) old.setAttribute("aria-pressed", "false");
    this.numbers.replaceChildren();
  }
}

/** Ties the controls, the list, the opened text and the address of the page together. */
class Explorer {
  constructor() {
    this.index = readIndex();
    this.blocks = new Blocks(this.index);
    this.opened = new Opened(this.index, this.blocks);
    this.state = { matches: [], page: 0, row: -1 };
    this.ticket = 0;
  }

  async start() {
    this.watch();
    document.getElementById("told").textContent = this.index.told;
    document.getElementById("told").hidden = !this.index.told;
    const choices = document.getElementById("order").options;
    for (const choice of [...choices].slice(1)) if (!this.index.orders[choice.value]) choice.remove();
    this.state.matches = await matching(this.index, this.blocks, this.asked());
    await this.follow(false);
    document.getElementById("explorer").hidden = false;
    document.getElementById("texts").classList.add("explored");
    if (this.linked() !== undefined) this.goTo();
  }

  watch() {
    const on = (id, event, act) => document.getElementById(id).addEventListener(event, act);
    let waiting = 0;
    on("find", "input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.ask(), 120);
    });
    for (const id of ["order", "label", "predicted", "right"]) on(id, "change", () => this.ask());
    on("back", "click", () => this.turn(-1));
    on("on", "click", () => this.turn(1));
    window.addEventListener("hashchange", () => this.follow(true));
  }

  asked() {
    const value = (id) => document.getElementById(id).value;
    return { find: value("find"), order: value("order"), label: value("label"), predicted: value("predicted"), right: value("right") };
  }

  /** Answer a new question; one that was asked meanwhile wins. */
  async ask() {
    this.ticket += 1;
    const mine = this.ticket;
    const matches = await matching(this.index, this.blocks, this.asked());
    if (mine !== this.ticket) return;
    Object.assign(this.state, { matches, page: 0 });
    if (this.state.row >= 0) this.opened.beside(this.index.ids[this.state.row], this.neighbours());
    drawCount(this.index, this.state);
    await drawList(this.index, this.blocks, this.state);
  }

  async turn(step) {
    this.state.page += step;
    await drawList(this.index, this.blocks, this.state);
  }

  /** Read the text that the address names; undefined where it names none that is here. */
  linked() {
    const found = /^#text=(.*)$/s.exec(location.hash);
    try {
      return found ? this.index.rows.get(decodeURIComponent(found[1])) : undefined;
    } catch {
      return undefined; // an address somebody cut in the middle of a letter
    }
  }

  /** Open the text of the address; without one the first of the list. */
  async follow(asked) {
    const linked = this.linked();
    if (linked === undefined && location.hash !== "" && this.state.row >= 0) return; // to another part of the page
    const row = linked ?? this.state.matches[0];
    if (row === undefined) return;
    const at = this.state.matches.indexOf(row);
    if (at >= 0) this.state.page = Math.floor(at / A_PAGE);
    this.state.row = row;
    await this.opened.show(row, { stale: () => this.state.row !== row, neighbours: () => this.neighbours() });
    drawCount(this.index, this.state);
    await drawList(this.index, this.blocks, this.state);
    if (asked && linked !== undefined) this.goTo();
  }

  neighbours() {
    const at = this.state.matches.indexOf(this.state.row);
    return { earlier: at > 0 ? this.state.matches[at - 1] : undefined, later: this.state.matches[at + 1] };
  }

  goTo() {
    const title = document.getElementById("opened-title");
    title.scrollIntoView();
    title.focus({ preventScroll: true });
  }
}

if (typeof DecompressionStream === "function") {
  new Explorer().start();
} else {
  document.getElementById("explorer-old").hidden = false; // the texts that need no script stay where they are
}
