// @ts-check
// The viewer in a notebook: requests and answers travel through the notebook's own connection.

import { App } from "./app.js";
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

/** @param {{ model: any, el: HTMLElement }} cell */
async function render({ model, el }) {
  const source = new WidgetSource(model);
  const app = new App(el, source, { compact: true });
  app.element.tabIndex = 0;
  app.element.addEventListener("keydown", (event) => { event.stopPropagation(); app.key(event); });
  await app.load(await source.ask({ do: "stage" }));
  return () => app.close();
}

export default { render };
