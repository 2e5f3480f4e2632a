// One text, shaded by each map, one map under another; and the numbers of the word that is pointed at.

const LONGEST = 2000; // characters of one word, or of a gap, that are drawn
const STEPS = 10;
const NAMED = 3; // heaviest words next to the name of a map

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
function cut(record) {
  const words = [];
  let at = 0;
  for (let i = 0; i < record.places.length; i += 2) {
    const start = at + record.places[i];
    const end = start + record.places[i + 1];
    words.push({ before: record.text.slice(at, start), word: record.text.slice(start, end) });
    at = end;
  }
  return { words, rest: record.text.slice(at) };
}

/** List all that can be drawn of a text: its maps, and people's marks. */
function viewsOf(index, record, numbers) {
  const views = index.maps.map((map, i) => ({ ...map, values: numbers[i], largest: largestOf(numbers[i], map.signed) }));
  return record.marks ? [...views, { name: "evidence", marks: record.marks }] : views;
}

/** Keep what is switched on, and the marks; where that is nothing, the text itself. */
function shownOf(index, views) {
  const shown = views.filter((view) => view.marks || index.shown.has(view.key));
  return shown.length ? shown : [{ name: "text" }];
}

function classOf(view, word) {
  if (view.marks) return view.marks[word] === "1" ? "ev" : "s0";
  return view.values ? shadeOf(view.values[word], view.largest, view.signed) : "s0";
}

/** Name the heaviest words of a map with their numbers, for eyes and ears that shades do not reach. */
function namesOf(view, words) {
  if (!view.values) return [];
  const sign = (value) => (view.signed && value > 0 ? "+" : "");
  return heaviest(view, NAMED).flatMap((word, i) => [
    i ? " · “" : "“",
    named(shortened(words[word].word, 24)),
    `” ${sign(view.values[word])}${figure(view.values[word])}`,
  ]);
}

/** Say of a map with two directions which colour is which, and for which class. */
function sidesOf(view, index, row) {
  if (!view.signed) return [];
  const label = named(shortened(index.labels[index.predicted[row]], 60));
  const side = (kind, record) => make("span", { class: kind }, record);
  return [make("span", { class: "sides" }, "speaks ", side("s6", "for"), " or ", side("n6", "against"), " “", label, "”"), " "];
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

/** Stand in for words that are left out. */
function gap(words) {
  if (words === 0) return [];
  return [make("span", { class: "gap" }, ` … ${counted(words)} ${words === 1 ? "word" : "words"} left out …`)];
}

/** Draw one map: its name, its heaviest words, and the stretches of the text that are shown. */
function drawMap(view, cutText, ranges, index, row) {
  const heading = [...sidesOf(view, index, row), make("span", { class: "heaviest" }, ...namesOf(view, cutText.words))];
  const title = make("h4", {}, view.name, " ", ...heading);
  const body = make("div", { class: "map", dir: "auto", role: "group", "aria-label": view.name });
  let at = 0;
  for (const [start, stop] of ranges) {
    body.append(...gap(start - at), ...spans(view, cutText.words, start, stop));
    at = stop;
  }
  body.append(...gap(cutText.words.length - at));
  if (at === cutText.words.length) body.append(drawn(cutText.rest));
  const first = body.querySelector("[data-word]");
  if (first) first.tabIndex = 0;
  return [title, body];
}

/** Draw what weight × logit adds up to on one text, as it was written; or that it does not. */
function drawSums(sums, numbers) {
  if (!numbers) return [make("p", { class: "note" }, sums.none)];
  const rows = sums.terms.map((term, i) => make("div", {}, make("dt", {}, term), make("dd", {}, numbers[i])));
  return [make("div", { class: "sums" }, make("h4", {}, sums.title), make("dl", {}, ...rows))];
}

/** Tell the numbers of one word in every map, and whether people marked it. */
function numbersOf(views, words, word) {
  const cell = (name, record) => make("div", {}, make("dt", {}, name), make("dd", {}, record));
  const cells = views.filter((view) => view.values).map((view) => cell(view.name, figure(view.values[word])));
  const marks = views.find((view) => view.marks)?.marks;
  if (marks) cells.push(cell("evidence", marks[word] === "1" ? "marked" : "not marked"));
  const title = make("p", {}, `Word ${counted(word + 1)} of ${counted(words.length)}: “`, named(shortened(words[word].word, 60)), "”");
  return [title, make("dl", {}, ...cells)];
}
