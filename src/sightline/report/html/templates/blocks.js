// What the page carries, read: one index in plain JSON, and blocks of texts and of numbers (JSON in gzip in base64).

/** Read the index: one entry a text in each of its lists, in the order of the page. */
function readIndex() {
  const index = JSON.parse(document.getElementById("index").textContent);
  index.count = index.ids.length;
  index.rows = new Map(index.ids.map((id, row) => [id, row]));
  return index;
}

/** Unpack one block. Nothing is asked of any network: the stream starts and ends in memory. */
async function unpack(name) {
  const letters = atob(document.getElementById(name).textContent);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** Say which block holds a text: the last one that begins at it or before. */
function blockOf(index, row) {
  let low = 0;
  let high = index.firsts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (index.firsts[middle] <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

const MOST_NUMBERS = 8; // blocks of numbers kept at once; texts are kept all, since a search reads all of them

/** Unpacks blocks when they are first asked for. */
class Blocks {
  constructor(index) {
    this.index = index;
    this.texts = new Map();
    this.numbers = new Map();
    this.lowered = new Map();
  }

  kept(shelf, kind, block) {
    if (!shelf.has(block)) shelf.set(block, unpack(`${kind}-${block}`));
    return shelf.get(block);
  }

  /** Give a text as it is shown: the text, the places of its words, people's marks on them (or null), its query if any. */
  async text(row) {
    const block = blockOf(this.index, row);
    const [text, places, marks, query] = (await this.kept(this.texts, "texts", block))[row - this.index.firsts[block]];
    return { text, places, marks, query };
  }

  /** Give the numbers of a text, one list a map. */
  async numbersOf(row) {
    const block = blockOf(this.index, row);
    const found = await this.kept(this.numbers, "numbers", block);
    for (const old of this.numbers.keys()) {
      if (this.numbers.size <= MOST_NUMBERS) break;
      if (old !== block) this.numbers.delete(old);
    }
    return found[row - this.index.firsts[block]];
  }

  /** Tell of every text whether it holds some letters, in either case. */
  async holding(letters) {
    const found = new Uint8Array(this.index.count);
    for (let block = 0; block < this.index.firsts.length; block += 1) {
      if (!this.lowered.has(block)) {
        const texts = await this.kept(this.texts, "texts", block);
        this.lowered.set(block, texts.map(([text]) => text.toLowerCase()));
      }
      this.lowered.get(block).forEach((text, i) => {
        if (text.includes(letters)) found[this.index.firsts[block] + i] = 1;
      });
    }
    return found;
  }
}
