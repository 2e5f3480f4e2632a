// Opens what is folded where the address leads into it.

/** Open the folds around an element, and the one that it heads. */
function reveal(element) {
  const own = element?.querySelector(":scope > details");
  if (own) own.open = true;
  for (let fold = element?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
}

/** Open the part of the page that the address names; the address of a text is the explorer's. */
function revealAddressed() {
  reveal(document.getElementById(location.hash.slice(1)));
}
