// The theme wraps tables that are wider than the page: let the keyboard scroll them, too.
new MutationObserver(() => {
  document.querySelectorAll(".md-typeset__scrollwrap").forEach((wrap) => { wrap.tabIndex = 0; });
}).observe(document.documentElement, { childList: true, subtree: true });
