// @ts-check
// A guided tour of an election on a small shape: a few sentences, the picture, next.

import { h, refill } from "./dom.js";

/** @typedef {import("./types").Step} Step */

export class Tour {
  /** @param {import("./app.js").App} app @param {import("./make.js").Maker} maker */
  constructor(app, maker) {
    this.app = app;
    this.maker = maker;
    this.index = 0;
    /** @type {{ run: any, moment: { round: number, position: number } } | null} the reader's own run, to come back to */
    this.back = null;
    this.element = h("section", { class: "tour", "data-test": "tour", "aria-label": "Tour" });
  }

  async start() {
    const { tour, options: { algorithm } } = this.app.stage;
    if (!tour) return;
    const { round, position } = this.app.moment, own = (await this.app.source.ask({ do: "save" })).run;
    const back = { run: { ...own, seed: this.app.stage.seed }, moment: { round, position } };
    const run = { shape: tour.shape, seed: String(tour.seed), options: { algorithm, ...tour.options } };
    if (!(await this.maker.open({ do: "open", run }))) return;
    this.stage = this.app.stage;
    this.back ??= back;
    this.app.element.classList.add("touring");
    this.app.side.prepend(this.element);
    await this.wait();
    await this.go(0);
  }

  // The milestones are known once the run has been looked through.
  async wait() {
    while (!this.app.survey?.done && this.app.stage === this.stage) {
      await new Promise((next) => setTimeout(next, 30));
    }
  }

  /** @param {number} index */
  async go(index) {
    const { survey, layers, player, stage } = this.app;
    const steps = stage.tour?.steps ?? [], step = steps[index];
    if (!step || !survey || stage !== this.stage) { this.end(); return; }
    this.index = index;
    const start = typeof step.at === "number" ? step.at : survey.milestones[step.at] ?? survey.rounds;
    layers.chosen.clear();
    for (const id of step.hide) layers.chosen.set(id, false);
    this.render(step, steps.length);
    await player.seek(Math.min(start + step.plus, survey.rounds));
    layers.key = "";
    this.app.redraw();
  }

  /** @param {Step} step @param {number} steps */
  render(step, steps) {
    refill(this.element,
      h("h2", {}, step.title), h("p", {}, step.text),
      h("div", { class: "actions" },
        h("span", { class: "count" }, `${this.index + 1} of ${steps}`),
        h("button", { onclick: () => this.end(), "data-test": "tour-end" }, "End"),
        h("button", { disabled: this.index === 0, onclick: () => this.go(this.index - 1) }, "Back"),
        h("button", { class: "primary", "data-test": "tour-next", onclick: () => this.go(this.index + 1) },
          this.index + 1 < steps ? "Next" : "Finish")));
  }

  // Back to the reader's own run, unless another one was opened meanwhile.
  async end() {
    const { back } = this, isOurs = this.app.stage === this.stage;
    this.back = null;
    this.element.remove();
    this.app.element.classList.remove("touring");
    this.app.layers.reset();
    if (back && isOurs) await this.maker.open({ do: "open", run: back.run }, back.moment);
  }
}
