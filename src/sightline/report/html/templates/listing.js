// Which texts are listed, in which order, and the list itself, ten at a time.

const A_PAGE = 10;
const SNIPPET = 160;

/** Make an element; strings among its children become text, never markup. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** Keep a user's name from reversing the text next to it. */
const named = (text) => make("bdi", {}, text);

/** Write a whole number, its thousands set apart. */
const counted = (n) => n.toLocaleString("en");

/** Let a text stay a text of bounded size, whatever was read. */
function shortened(text, most) {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Find the rows that a question asks for, in its order. A number in the page is read, none is made. */
async function matching(index, blocks, asked) {
  const order = index.orders[asked.order] ?? [...index.ids.keys()];
  const letters = asked.find.trim().toLowerCase();
  const holding = letters && index.texts ? await blocks.holding(letters) : null;
  const wanted = (choice, value) => choice === "" || Number(choice) === value;
  return order.filter(
    (row) =>
      wanted(asked.label, index.label[row]) &&
      wanted(asked.predicted, index.predicted[row]) &&
      wanted(asked.right, index.right[row]) &&
      (!letters || holding?.[row] || index.ids[row].toLowerCase().includes(letters)),
  );
}

/** Tell what is known of a text as a whole, as pieces of a line. */
function facts(index, row) {
  const label = (place) => named(shortened(index.labels[place], 60));
  const parts = ["label ", label(index.label[row]), " · predicted ", label(index.predicted[row])];
  if (!index.right[row]) parts.push(" ", make("span", { class: "wrong" }, "(wrong)"));
  if (index.confidence) parts.push(` · confidence ${index.confidence[row]}`);
  if (index.disagreement) parts.push(` · disagreement ${index.disagreement[row]}`);
  return parts;
}

/** Make one line of the list: a link, so that Enter, the back button and a copied address all work. */
function line(index, row, snippet, current) {
  const link = make("a", { href: linkTo(index, row), "aria-current": current ? "true" : null }, named(shortened(index.ids[row], 60)));
  const about = make("span", { class: "facts" }, ...facts(index, row));
  return make("li", {}, link, " ", about, make("span", { class: "snippet", dir: "auto" }, snippet));
}

/** Draw one page of the list. Only these ten lines are ever in the document. */
async function drawList(index, blocks, state) {
  state.drawing = (state.drawing ?? 0) + 1;
  const mine = state.drawing;
  const rows = state.matches.slice(state.page * A_PAGE, (state.page + 1) * A_PAGE);
  const snippets = await Promise.all(
    rows.map(async (row) => (index.texts ? shortened((await blocks.text(row)).text.slice(0, 2 * SNIPPET), SNIPPET) : "")),
  );
  if (mine !== state.drawing) return; // another page was asked for while this one was unpacked
  const list = document.getElementById("list");
  list.replaceChildren(...rows.map((row, i) => line(index, row, snippets[i], row === state.row)));
  list.setAttribute("start", String(state.page * A_PAGE + 1));
  drawPlace(state);
}

/** Say where in the list the page is, and whether there is a way back and on. */
function drawPlace(state) {
  const last = Math.max(0, Math.ceil(state.matches.length / A_PAGE) - 1);
  document.getElementById("place").textContent = `page ${counted(state.page + 1)} of ${counted(last + 1)}`;
  document.getElementById("back").disabled = state.page === 0;
  document.getElementById("on").disabled = state.page >= last;
}

/** Tell how many texts the question finds; a screen reader says it when it changes. */
function drawCount(index, state) {
  const [found, all] = [counted(state.matches.length), counted(index.count)];
  document.getElementById("count").textContent = state.matches.length
    ? `${found} of ${all} texts`
    : `No text is like this; ${all} texts are in this page.`;
}
