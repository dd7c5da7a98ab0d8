/* Light, dark, or as the device says. A plain script, as it has to run before anything is painted. */
(() => {
  const NAMES = ["auto", "light", "dark"];
  const read = () => {
    try {
      return localStorage.getItem("hearten.theme") ?? "auto";
    } catch {
      return "auto";
    }
  };
  const show = (/** @type {string} */ name) => {
    document.documentElement.dataset.theme = NAMES.includes(name) ? name : "auto";
  };
  show(read());
  addEventListener("storage", () => show(read()));
})();
