// @ts-check
// The page of a film that is one file.

import { App } from "./app.js";
import { h } from "./dom.js";
import { FilmSource, unpackFilm } from "./film.js";

unpackFilm(document.getElementById("film")?.textContent ?? "").then(async (parts) => {
  const source = new FilmSource(parts);
  const app = new App(document.body, source);
  Object.assign(globalThis, { amoebot: { app, source } });
  app.header.append(h("nav", {},
    h("button", { "data-test": "theme", onclick: () => app.setTheme(!app.dark) }, "Theme"),
    h("button", { "data-test": "help", onclick: () => app.help() }, "?")));
  window.addEventListener("keydown", (event) => app.key(event));
  await app.load(source.stageBuffer);
  document.body.dataset.ready = "true";
});
