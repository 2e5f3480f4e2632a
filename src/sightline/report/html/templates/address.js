// The address of the page: which text it names, and which maps, where these are not the usual ones.

/** Name the maps that are shown at first. */
const usualMaps = (index) => new Set(index.maps.filter((map) => map.first).map((map) => map.key));

/** Read an address: the row of its text (undefined where it names none that is here), and the maps to be shown. */
function readAddress(index) {
  const asked = new URLSearchParams(location.hash.slice(1));
  const named = asked.get("maps")?.split(",") ?? [...usualMaps(index)];
  const known = index.maps.map((map) => map.key).filter((key) => named.includes(key));
  return { row: index.rows.get(asked.get("text")), shown: new Set(known) };
}

/** Make the address of a text under the maps that are shown now. */
function linkTo(index, row) {
  const keys = index.maps.map((map) => map.key).filter((key) => index.shown.has(key)).join();
  const maps = keys === [...usualMaps(index)].join() ? "" : `&maps=${keys}`;
  return `#text=${encodeURIComponent(index.ids[row])}${maps}`;
}
