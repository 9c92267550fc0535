/* Before the first paint, so that the page does not flash in the wrong colours. */
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off: the system's colours it is.
}
