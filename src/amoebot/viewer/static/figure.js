// @ts-check
// Figures of the documentation that run. What they show before, a still, stays where they cannot.

import { App } from "./app.js";
import { h } from "./dom.js";
import { press } from "./keys.js";
import { WorkerSource } from "./worker_source.js";

/** @typedef {{ run: Record<string, any>, round: number, position: number, show: string[], hide: string[], plays: boolean }} Told */

/** @param {HTMLElement} element */
async function bringToLife(element) {
  /** @type {Told} */
  const told = JSON.parse(element.dataset.live ?? "");
  const root = h("div");
  const source = new WorkerSource(`const FIRST = ${JSON.stringify(told.run)};\n${WORKER}`);
  const stage = await source.ask({ do: "stage" });
  element.append(root);
  const app = new App(root, source, { compact: true });
  app.element.tabIndex = 0;
  app.element.addEventListener("keydown", (event) => { event.stopPropagation(); press(app, event); });
  followTheme(app);
  app.look = [...told.show.map((id) => /** @type {[string, boolean]} */ ([id, true])), ...told.hide.map((id) => /** @type {[string, boolean]} */ ([id, false]))];
  await app.load(stage, told);
  element.dataset.ready = "true"; // which hides the still
  Object.assign(element, { amoebot: { app, source } });
  app.fit();
  if (told.plays && !matchMedia("(prefers-reduced-motion: reduce)").matches) app.player.toggle();
}

/** @param {App} app */
function followTheme(app) {
  const set = () => app.setTheme(document.body.dataset.mdColorScheme === "slate");
  new MutationObserver(set).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  set();
}

const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    bringToLife(/** @type {HTMLElement} */ (target)).catch((error) => console.warn(`The figure stays a still: ${error}`));
  }
}, { rootMargin: "200px" });
for (const figure of document.querySelectorAll("[data-live]")) seen.observe(figure);
