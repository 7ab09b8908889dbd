// @ts-check
// The page of a film that is one file; with a second recording, two elections side by side.

import { App } from "./app.js";
import { Beside } from "./beside.js";
import { h } from "./dom.js";
import { FilmSource, unpackFilm } from "./film.js";
import { press, toggleHelp } from "./keys.js";
import { applyLook } from "./look.js";

/** @param {string} id */
async function open(id) {
  const text = document.getElementById(id)?.textContent;
  if (!text) return null;
  const source = new FilmSource(await unpackFilm(text)), app = new App(document.body, source);
  return { app, source };
}

open("film").then(async (first) => {
  if (!first) return;
  const { app, source } = first, second = await open("beside");
  const apps = second ? [app, second.app] : [app];
  Object.assign(globalThis, { amoebot: { app, source }, beside: second });
  app.header.append(h("nav", {},
    h("button", { "data-test": "theme", onclick: () => { const dark = !app.dark; apps.forEach((each) => each.setTheme(dark)); } }, "Theme"),
    h("button", { "data-test": "help", onclick: () => toggleHelp(app) }, "?")));
  window.addEventListener("keydown", (event) => press(app, event));
  applyLook(app);
  await app.load(source.stageBuffer);
  if (second) {
    applyLook(second.app);
    await second.app.load(second.source.stageBuffer);
    await new Beside(app, second.app).start();
  }
  document.body.dataset.ready = "true";
});
