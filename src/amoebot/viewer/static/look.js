// @ts-check
// How a page that is one file is to look at first: dark or light, with and without some layers.

/** @param {import("./app.js").App} app @returns {string} the election that is to be shown beside */
export function applyLook(app) {
  const text = document.getElementById("look")?.textContent;
  if (!text) return "";
  const { dark, show, hide, beside } = JSON.parse(text);
  if (dark) app.setTheme(true);
  app.look = [...show.map((/** @type {string} */ id) => [id, true]), ...hide.map((/** @type {string} */ id) => [id, false])];
  return beside;
}
