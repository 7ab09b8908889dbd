// @ts-check
// The viewer in a notebook: requests and answers travel through the notebook's own connection.

import { App } from "./app.js";
import { press } from "./keys.js";
import { settle } from "./source.js";

class WidgetSource {
  /** @param {any} model */
  constructor(model) {
    this.model = model;
    this.live = true;
    /** @type {Map<number, import("./source.js").Waiting>} */
    this.waiting = new Map();
    this.next = 1;
    this.page = Math.random().toString(36).slice(2); // several views may show one widget
    model.on("msg:custom", (/** @type {any} */ answer, /** @type {DataView[]} */ buffers) => {
      const { to, number } = answer;
      const waiting = to === this.page && this.waiting.get(number);
      if (!waiting) return;
      this.waiting.delete(number);
      settle(waiting, buffers?.length ? copy(buffers[0]) : answer.answer);
    });
  }

  close() {}

  /** @param {Record<string, any>} request @returns {Promise<any>} */
  ask(request) {
    return new Promise((resolve, reject) => {
      const number = this.next++;
      this.waiting.set(number, { resolve, reject });
      this.model.send({ to: this.page, number, request });
    });
  }
}

// Notebooks hand over a view of some larger memory.
/** @param {DataView} view */
function copy(view) {
  return view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);
}

// JupyterLab and VS Code have themes of their own, whatever the system's is.
function isDark() {
  const { dataset, classList } = document.body;
  if (dataset.jpThemeLight) return dataset.jpThemeLight === "false";
  return classList.contains("vscode-dark") || (!classList.contains("vscode-light") && matchMedia("(prefers-color-scheme: dark)").matches);
}

/** @param {{ model: any, el: HTMLElement }} cell */
async function render({ model, el }) {
  const source = new WidgetSource(model);
  const app = new App(el, source, { compact: true });
  app.setTheme(isDark());
  const themes = new MutationObserver(() => app.setTheme(isDark()));
  themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "class"] });
  app.element.tabIndex = 0;
  app.element.dataset.lmSuppressShortcuts = "true"; // JupyterLab's, which see a key before anybody else
  app.element.addEventListener("keydown", (event) => { event.stopPropagation(); press(app, event); });
  await app.load(await source.ask({ do: "stage" }));
  return () => { themes.disconnect(); app.close(); };
}

export default { render };
