// One text, shaded by each map, one map under another; and the numbers of the word somebody points at.

const FIRST_WORDS = 120;
const FIRST_CHARACTERS = 1200;
const MORE_WORDS = 2000; // each time more is asked for
const LONGEST = 2000; // characters of one word, or of a gap, that are drawn
const STEPS = 10;

/** Write a number with the three digits it was stored with; null is undefined. */
function figure(value) {
  if (value === null || value === undefined) return "undefined";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  if (value === 0) return "0";
  const text = Math.abs(value) >= 1000 ? String(value) : value.toPrecision(3);
  return text.replace("e-", " × 10^-").replaceAll("-", "−");
}

/** Draw a stretch of text; one that is longer than any word is cut, and the cut is said. */
function drawn(text) {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST)} ⟦${counted(text.length - LONGEST)} more characters⟧`;
}

/** Turn a value into the class of its shade: tenths of the largest, rounded up, so that a small share stays visible. */
function shadeOf(value, largest, signed) {
  if (value === null || value === undefined) return "na";
  if (value === 0 || largest === 0 || (value < 0 && !signed)) return "s0";
  const share = Number.isFinite(largest) ? Math.abs(value) / largest : Number(!Number.isFinite(value));
  return `${value < 0 ? "n" : "s"}${Math.max(1, Math.ceil(STEPS * share - 1e-6))}`;
}

/** Find the largest value of a map, by size where it is signed. */
function largestOf(values, signed) {
  let largest = 0;
  for (const value of values) {
    const size = signed ? Math.abs(value ?? 0) : (value ?? 0);
    if (size > largest) largest = size;
  }
  return largest;
}

/** Cut a text at its words: what lies before each, and the word; at last what lies behind all. */
function cut(told) {
  const words = [];
  let at = 0;
  for (let i = 0; i < told.places.length; i += 2) {
    const start = at + told.places[i];
    const end = start + told.places[i + 1];
    words.push({ before: told.text.slice(at, start), word: told.text.slice(start, end) });
    at = end;
  }
  return { words, rest: told.text.slice(at) };
}

/** Count the words shown at first: all of a short text, the beginning of a long one. */
function folded(words) {
  let characters = 0;
  for (let i = 0; i < words.length; i += 1) {
    characters += Math.min(LONGEST, words[i].before.length) + Math.min(LONGEST, words[i].word.length);
    if (i >= FIRST_WORDS || characters > FIRST_CHARACTERS) return Math.max(1, i);
  }
  return words.length;
}

/** List what is drawn of a text: its maps, people's marks, or, where there is neither, the text itself. */
function viewsOf(index, told, numbers) {
  const views = index.maps.map((map, i) => ({ ...map, values: numbers[i], largest: largestOf(numbers[i], map.signed) }));
  if (told.marks) views.push({ name: "evidence", marks: told.marks });
  return views.length ? views : [{ name: "text" }];
}

function classOf(view, word) {
  if (view.marks) return view.marks[word] === "1" ? "ev" : "s0";
  return view.values ? shadeOf(view.values[word], view.largest, view.signed) : "s0";
}

/** Name the heaviest words of a map with their numbers, for eyes and ears that shades do not reach. */
function heaviest(view, words) {
  if (!view.values) return "";
  const size = (word) => (view.signed ? Math.abs(view.values[word] ?? 0) : (view.values[word] ?? 0));
  const best = [];
  for (let word = 0; word < words.length; word += 1) {
    if (size(word) <= 0 || (best.length === 3 && size(word) <= size(best[2]))) continue;
    best.push(word);
    best.sort((a, b) => size(b) - size(a) || a - b);
    best.splice(3);
  }
  return best.flatMap((word, i) => [
    i ? " · “" : "“",
    named(shortened(words[word].word, 24)),
    `” ${figure(view.values[word])}`,
  ]);
}

/** Draw the words from one to another. They are buttons: one of each map is reached by Tab, the others by arrows. */
function spans(view, words, from, to) {
  const nodes = [];
  for (let i = from; i < to; i += 1) {
    const { before, word } = words[i];
    if (before) nodes.push(drawn(before));
    if (!word) continue;
    const attributes = { class: classOf(view, i), role: "button", tabindex: i ? "-1" : "0", "data-word": i, "aria-pressed": "false" };
    nodes.push(make("span", attributes, drawn(word)));
  }
  return nodes;
}

/** Draw one map: its name, its heaviest words, and the text. */
function drawMap(view, cutText, shown) {
  const title = make("h4", {}, view.name, " ", make("span", { class: "heaviest" }, ...heaviest(view, cutText.words)));
  const body = make("div", { class: "map", dir: "auto", role: "group", "aria-label": view.name });
  body.append(...spans(view, cutText.words, 0, shown));
  const all = shown === cutText.words.length;
  if (all) body.append(drawn(cutText.rest));
  const first = body.querySelector("[data-word]");
  if (first) first.tabIndex = 0;
  return [title, body];
}

/** Tell the numbers of one word in every map, and whether people marked it. */
function numbersOf(views, words, word) {
  const cell = (name, told) => make("div", {}, make("dt", {}, name), make("dd", {}, told));
  const cells = views.filter((view) => view.values).map((view) => cell(view.name, figure(view.values[word])));
  const marks = views.find((view) => view.marks)?.marks;
  if (marks) cells.push(cell("evidence", marks[word] === "1" ? "marked" : "not marked"));
  const title = make("p", {}, `Word ${counted(word + 1)} of ${counted(words.length)}: “`, named(shortened(words[word].word, 60)), "”");
  return [title, make("dl", {}, ...cells)];
}
