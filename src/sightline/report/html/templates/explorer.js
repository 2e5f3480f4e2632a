// The explorer: questions from the reader in, a list and one opened text out. State lives in one object.

/** Ties the controls, the list, the opened text and the address of the page together. */
class Explorer {
  constructor() {
    this.index = readIndex();
    this.index.shown = usualMaps(this.index);
    this.blocks = new Blocks(this.index);
    this.opened = new Opened(this.index, this.blocks);
    this.state = { matches: [], page: 0, row: -1 };
    this.ticket = 0;
  }

  async start() {
    this.watch();
    document.getElementById("note").textContent = this.index.note;
    document.getElementById("note").hidden = !this.index.note;
    const choices = document.getElementById("order").options;
    for (const choice of [...choices].slice(1)) if (!this.index.orders[choice.value]) choice.remove();
    this.state.matches = await matching(this.index, this.blocks, this.asked());
    revealAddressed();
    await this.follow(false);
    document.getElementById("explorer").hidden = false;
    document.getElementById("texts").classList.add("explored");
    if (readAddress(this.index).row !== undefined) this.goTo();
  }

  watch() {
    const on = (id, event, act) => document.getElementById(id).addEventListener(event, act);
    let waiting = 0;
    on("find", "input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.ask(), 120);
    });
    for (const id of ["order", "label", "predicted", "right"]) on(id, "change", () => this.ask());
    document.getElementById("maps")?.addEventListener("change", () => this.switched());
    on("back", "click", () => this.turn(-1));
    on("on", "click", () => this.turn(1));
    window.addEventListener("hashchange", () => {
      revealAddressed();
      this.follow(true);
    });
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
    if (this.state.row >= 0) this.opened.beside(this.neighbours());
    drawCount(this.index, this.state);
    await drawList(this.index, this.blocks, this.state);
  }

  async turn(step) {
    this.state.page += step;
    await drawList(this.index, this.blocks, this.state);
  }

  /** Show the maps that are ticked, and keep them in the address; the way back is to another text. */
  switched() {
    this.index.shown = new Set([...document.querySelectorAll("#maps :checked")].map((box) => box.value));
    if (this.state.row < 0) return undefined;
    history.replaceState(null, "", linkTo(this.index, this.state.row));
    this.opened.unfold();
    this.opened.unpick();
    this.opened.beside(this.neighbours());
    return drawList(this.index, this.blocks, this.state);
  }

  /** Take the maps of the address, and tick them. */
  shows(shown) {
    this.index.shown = shown;
    for (const box of document.querySelectorAll("#maps input")) box.checked = shown.has(box.value);
  }

  /** Open the text of the address; without one the first of the list. */
  async follow(asked) {
    const { row: linked, shown } = readAddress(this.index);
    if (linked === undefined && location.hash !== "" && this.state.row >= 0) return; // to another part of the page
    const row = linked ?? this.state.matches[0];
    if (row === undefined) return;
    this.shows(shown);
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
    reveal(title);
    title.scrollIntoView();
    title.focus({ preventScroll: true });
  }
}

if (typeof DecompressionStream === "function") {
  new Explorer().start();
} else {
  document.getElementById("explorer-old").hidden = false; // the texts that need no script stay where they are
}
