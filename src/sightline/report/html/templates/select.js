// Selects what is meant to be copied when the Tab key reaches it, as a click does.

for (const text of document.querySelectorAll(".paste, .card")) {
  text.addEventListener("focus", () => getSelection().selectAllChildren(text));
}
