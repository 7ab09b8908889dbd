// @ts-check
// How a page that is one file is to look at first: dark or light, with and without some layers.

/** @param {import("./app.js").App} app */
export function applyLook(app) {
  const text = document.getElementById("look")?.textContent;
  if (!text) return;
  const { dark, show, hide } = JSON.parse(text);
  if (dark) app.setTheme(true);
  app.look = [...show.map((/** @type {string} */ id) => [id, true]), ...hide.map((/** @type {string} */ id) => [id, false])];
}
