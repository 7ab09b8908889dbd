// @ts-check
// A guided tour of an election on a small shape: a few sentences, some rounds that are played, now and
// then a question whose answer the next rounds show, next.

import { h, refill } from "./dom.js";
import { compile, context } from "./expressions.js";

/** @typedef {import("./types").Step} Step */
/** @typedef {import("./types").Question} Question */

/** @type {import("./player.js").Speed} the speed at which rounds are played */
const SPEED = { unit: "rounds", rate: 2 };

// With more particles to choose from, the reader points to one in the picture.
const MOST_CHOICES = 12;

export class Tour {
  /** @param {import("./app.js").App} app @param {import("./make.js").Maker} maker */
  constructor(app, maker) {
    this.app = app;
    this.maker = maker;
    this.index = 0;
    /** @type {{ run: any, moment: { round: number, position: number } } | null} the reader's own run, to come back to */
    this.back = null;
    this.speed = app.player.speed;
    this.element = h("section", { class: "tour", "data-test": "tour", "aria-label": "Tour" });
    this.asked = h("div", { class: "asked", "data-test": "question", "aria-live": "polite" });
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
    this.speed = this.app.player.speed;
    this.app.element.classList.add("touring");
    // Of an earlier tour nothing may be left that could be clicked.
    this.asked.replaceChildren();
    refill(this.element, h("p", { class: "hint" }, "Looking through the run …"), h("div", { class: "actions" }, this.endButton()));
    this.app.side.prepend(this.element);
    await this.wait();
    if (this.isUnderWay) await this.go(0);
  }

  // The milestones are known once the run has been looked through.
  async wait() {
    while (!this.app.survey?.done && this.isUnderWay) {
      await new Promise((next) => setTimeout(next, 30));
    }
  }

  /** @param {number} index */
  async go(index) {
    const { survey, layers, player, stage } = this.app;
    const steps = stage.tour?.steps ?? [], step = steps[index];
    if (!step || !survey || !this.isUnderWay) { this.end(); return; }
    this.index = index;
    this.app.onpick = null;
    this.app.spotlight = this.finder(step.spotlight);
    const start = typeof step.at === "number" ? step.at : survey.milestones[step.at] ?? survey.rounds;
    const last = Math.min(start + step.plus, survey.rounds);
    layers.chosen.clear();
    for (const id of step.hide) layers.chosen.set(id, false);
    layers.key = "";
    this.asked.replaceChildren();
    this.render(step, steps.length);
    this.app.redraw();
    await player.seek(Math.max(0, last - step.plays));
    if (await this.play(step, last) && step.question) this.ask(step, step.question);
  }

  /** Whether the tour's run is open, and the tour not over. */
  get isUnderWay() { return this.app.stage === this.stage && this.element.isConnected; }

  /** Whether the reader is still at a step. @param {Step} step */
  isAt(step) { return this.isUnderWay && this.stage?.tour?.steps[this.index] === step; }

  /**
   * Play on to a round; who wants nothing to move is there at once. Whoever stops before, or goes elsewhere, can
   * come back. Returns whether the reader is there, and still at the step.
   * @param {Step} step @param {number} round @returns {Promise<boolean>}
   */
  async play(step, round) {
    const { app } = this, isThere = () => app.moment.round === round || (app.moment.finished && app.moment.round < round);
    while (this.isAt(step) && !isThere()) {
      if (app.motion.still?.matches || app.moment.round > round) await app.player.seek(round);
      else await app.player.playTo(round, SPEED);
      if (this.isAt(step) && !isThere()) await this.offer();
    }
    return this.isAt(step);
  }

  /** Wait until the reader wants to go on. @returns {Promise<void>} */
  offer() {
    return new Promise((goOn) => {
      const button = h("button", { "data-test": "tour-on", onclick: () => { button.remove(); goOn(); } }, "Go on");
      this.asked.append(button);
    });
  }

  /** What finds the particles of which a condition holds, comparing with other memories if it has to. @param {import("./types").Value} condition */
  finder(condition) {
    if (condition === null || condition === undefined) return null;
    const { stage } = this.app, holds = compile(condition, stage.formats.unit), c = context(stage), size = stage.formats.unit.size;
    return (/** @type {Uint8Array} */ now, before = now) => {
      const found = new Set();
      for (c.unit = 0; c.unit < stage.units; c.unit++) {
        [c.me, c.was] = [now, before].map((bytes) => ({ bytes, at: c.unit * size }));
        if (holds(c)) found.add(stage.particle_of_node[stage.node_of_unit[c.unit]]);
      }
      return /** @type {number[]} */ ([...found].sort((a, b) => a - b));
    };
  }

  /** Ask before it is shown. @param {Step} step @param {Question} question */
  ask(step, question) {
    const { app } = this, { moment } = app, before = moment.units.slice(), last = moment.round + question.rounds;
    const answer = (/** @type {number} */ chosen) => { this.answer(step, question, chosen, before, last); return true; };
    const among = question.choices.length ? [] : this.finder(question.among)?.(moment.units) ?? [];
    const named = question.choices.length ? question.choices.map((words, i) => ({ words, value: i, particle: -1 }))
      : among.length <= MOST_CHOICES ? among.map((particle) => ({ words: `${particle}`, value: particle, particle })) : [];
    if (!question.choices.length) {
      app.onpick = answer;
      app.spotlight = this.finder(question.among);
      app.redraw();
    }
    const buttons = named.map(({ words, value, particle }) => h("button", {
      "data-test": `answer-${value}`, onclick: () => answer(value),
      onpointerenter: () => app.pointAt(particle), onpointerleave: () => app.pointAt(-1), onfocus: () => app.pointAt(particle),
    }, words));
    refill(this.asked, h("p", { class: "question" }, question.text),
      question.choices.length ? null : h("p", { class: "hint" }, buttons.length ? "Click a particle in the picture, or its number:" : "Click a particle in the picture."),
      h("div", { class: question.choices.length ? "ways" : "ways chips" }, buttons));
  }

  /**
   * Play on, and say whether that was right.
   * @param {Step} step @param {Question} question @param {number} chosen
   * @param {Uint8Array} before the memories when it was asked @param {number} last the round that shows it
   */
  async answer(step, question, chosen, before, last) {
    const { app } = this;
    app.onpick = null;
    app.pointAt(-1);
    app.spotlight = this.finder(step.spotlight);
    const picked = question.choices.length ? question.choices[chosen] : `particle ${chosen}`;
    refill(this.asked, h("p", { class: "question" }, question.text), h("p", { class: "hint" }, `You say: ${picked}. Watch…`));
    if (!(await this.play(step, last))) return;
    const right = question.choices.length ? [question.right] : this.finder(question.answer)?.(app.moment.units, before) ?? [];
    if (!question.choices.length) app.spotlight = () => right;
    app.redraw();
    const isRight = right.includes(chosen);
    refill(this.asked, h("p", { class: isRight ? "verdict correct" : "verdict" },
      isRight ? "Right." : `No: ${question.choices.length ? question.choices[question.right] : `particle ${right.join(", ")}`}.`),
    h("p", {}, question.then));
  }

  /** @param {Step} step @param {number} steps */
  render(step, steps) {
    refill(this.element,
      h("h2", {}, step.title), h("p", {}, step.text), this.asked,
      h("div", { class: "actions" },
        h("span", { class: "count" }, `${this.index + 1} of ${steps}`),
        this.endButton(),
        h("button", { disabled: this.index === 0, onclick: () => this.go(this.index - 1) }, "Back"),
        h("button", { class: "primary", "data-test": "tour-next", onclick: () => this.go(this.index + 1) },
          this.index + 1 < steps ? "Next" : "Finish")));
  }

  endButton() { return h("button", { onclick: () => this.end(), "data-test": "tour-end" }, "End"); }

  // Back to the reader's own run, unless another one was opened meanwhile.
  async end() {
    const { back, app } = this, isOurs = app.stage === this.stage;
    this.back = null;
    this.element.remove();
    app.onpick = app.spotlight = null;
    app.player.pause();
    app.player.speed = this.speed;
    app.element.classList.remove("touring");
    app.layers.reset();
    if (back && isOurs) await this.maker.open({ do: "open", run: back.run }, back.moment);
  }
}
