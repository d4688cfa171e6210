// Runs before the first paint, so that a chosen theme never flashes. A file of
// its own because the page allows no inline script.
try {
  var theme = localStorage.getItem("ibid.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch (e) {
  // Storage is off: the system's theme it is.
}
