// Which words of a long text are shown at first: the most highlighted ones and their neighbours.

const FIRST_WORDS = 120;
const FIRST_CHARACTERS = 1200;
const MOST = 5; // words of each map that no fold hides
const CONTEXT_WORDS = 8; // words on each side of one
const CONTEXT_CHARACTERS = 150;
const NEAR = 3; // as few words are not left out between two
const MORE_WORDS = 2000; // each time more is asked for

const charactersOf = ({ before, word }) => before.length + word.length;

/** Give the words with the largest values, by size where the map is signed; of marks the first. */
function heaviest(view, most) {
  if (view.marks) return [...view.marks].flatMap((mark, word) => (mark === "1" ? [word] : [])).slice(0, most);
  const size = (word) => (view.signed ? Math.abs(view.values[word] ?? 0) : (view.values[word] ?? 0));
  const best = [];
  for (let word = 0; word < (view.values?.length ?? 0); word += 1) {
    if (size(word) <= 0 || (best.length === most && size(word) <= size(best.at(-1)))) continue;
    best.push(word);
    best.sort((a, b) => size(b) - size(a) || a - b);
    best.splice(most);
  }
  return best;
}

/** Give the words around one, as many as fit on each side. */
function around(words, word) {
  const reached = (step) => {
    let [count, characters] = [0, 0];
    for (let at = word + step; at >= 0 && at < words.length && count < CONTEXT_WORDS; at += step) {
      characters += charactersOf(words[at]);
      if (characters > CONTEXT_CHARACTERS) break;
      count += 1;
    }
    return count;
  };
  return [word - reached(-1), word + 1 + reached(1)];
}

/** Join stretches that touch or nearly do, and the last with the end of the text. */
function merged(ranges, total) {
  const out = [];
  for (const [start, stop] of ranges.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = out.at(-1);
    if (last && start - last[1] <= NEAR) last[1] = Math.max(last[1], stop);
    else out.push([start, stop]);
  }
  if (total - out.at(-1)[1] <= NEAR) out.at(-1)[1] = total;
  return out;
}

/** Give the stretches of words that are shown: all of a short text; else the beginning, as far as was asked for, and
 * what lies around the most highlighted words of the maps. */
function folded(views, words, asked) {
  const characters = words.reduce((sum, word) => sum + charactersOf(word), 0);
  if (words.length <= FIRST_WORDS && characters <= FIRST_CHARACTERS) return [[0, words.length]];
  const marked = new Set([0, ...views.flatMap((view) => heaviest(view, MOST))]);
  return merged([[0, asked], ...[...marked].map((word) => around(words, word))], words.length);
}

const wordsIn = (ranges) => ranges.reduce((sum, [start, stop]) => sum + stop - start, 0);
