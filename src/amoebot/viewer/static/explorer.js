// @ts-check
// The panel of all next moves: what each particle would do if it were activated now, with every way its
// coins can fall. A click carries a move out, as in the explorer of a model checker.

import { count, h, refill } from "./dom.js";
import { fromBase64 } from "./moment.js";
import { nodesOfParticle, unitsOfNode } from "./stage.js";

/** @typedef {import("./types").Move} Move */

// Characters up to which ways are chips, several in a line.
const SHORT = 18;

export class Explorer {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.open = this.asking = false;
    this.version = -1;
    /** @type {import("./types").Moves} */
    this.found = { scheduled: -1, moves: [], last: 0 };
    this.element = h("section", { class: "moves", "aria-label": "Next moves", "data-test": "moves", hidden: true });
  }

  toggle(open = !this.open) {
    this.open = open;
    this.element.hidden = !open;
    this.app.element.classList.toggle("exploring", open);
    this.version = -1;
    this.app.pointAt(-1);
    this.app.redraw();
    this.update();
  }

  /** The particle that the schedule activates next, to be shown in the picture; -1 for none. */
  get scheduled() { return this.open && this.isCurrent ? this.found.scheduled : -1; }

  /** Whether what is listed is possible now. */
  get isCurrent() { return this.version === this.app.moment?.version && !this.app.player.playing; }

  // Ask what could happen next, unless moments pass so fast that nobody could read it.
  async update(first = 0) {
    const { app } = this, { moment, player } = app;
    if (!this.open || !moment) return;
    this.element.classList.toggle("stale", !this.isCurrent);
    if (this.asking || player.playing || player.busy || (this.isCurrent && !first)) return;
    this.asking = true;
    try {
      const { version } = moment, known = first ? this.found.moves : [];
      let answer = await app.source.ask({ do: "moves", first });
      // A server in haste may have looked only at particles that do nothing, or at the one listed before all others.
      while (!answer.moves.length && answer.last < app.stage.particles) answer = await app.source.ask({ do: "moves", first: answer.last });
      if (moment === app.moment && version === moment.version) {
        answer.moves = [...known, ...answer.moves];
        this.found = answer;
        this.version = version;
        this.render();
      }
    } catch { /* the run has changed meanwhile */ } finally {
      this.asking = false;
    }
    if (!this.isCurrent) app.rested();
  }

  render() {
    const { scheduled, moves, last } = this.found, { stage } = this.app;
    /** @type {Map<number, Move[]>} */
    const groups = new Map();
    for (const move of moves) groups.set(move.particle, [...(groups.get(move.particle) ?? []), move]);
    const acting = [...groups.values()].filter((ways) => ways.some(({ acts }) => acts)).length;
    const isAll = last >= stage.particles;
    refill(this.element,
      h("h2", {}, "Next moves", h("button", { class: "close", title: "Close (m)", onclick: () => this.app.toggleExplorer() }, "×")),
      h("p", { class: "hint" }, moves.length
        ? `${count(acting, "particle")} ${isAll ? "" : "so far "}${acting === 1 ? "has" : "have"} something to do. Click what is to happen.`
        : "Nothing will ever change any more."),
      [...groups].map(([particle, ways]) => this.particle(particle, ways, particle === scheduled)),
      isAll ? null : h("button", { class: "more", "data-test": "more-moves", onclick: () => this.update(last) }, "More…"));
    this.element.classList.toggle("stale", !this.isCurrent);
    this.element.dataset.version = String(this.version);
    this.app.redraw();
  }

  /** @param {number} particle @param {Move[]} ways @param {boolean} isScheduled */
  particle(particle, ways, isScheduled) {
    const { app } = this, { stage } = app, nodes = nodesOfParticle(stage, particle);
    const told = ways.map((way) => this.sentences(way, nodes));
    const shared = told[0].filter((sentence) => told.every((others) => others.includes(sentence)));
    const own = told.map((sentences) => sentences.filter((one) => !shared.includes(one)).map(brief));
    const isLone = ways.length === 1;
    return h("article", {
      class: isScheduled ? "move scheduled" : "move", "data-particle": particle,
      onpointerenter: () => app.pointAt(particle), onpointerleave: () => app.pointAt(-1),
    },
    h("h3", {}, h("button", { class: "link", title: "Read its memory", onclick: () => app.select(particle) }, `Particle ${particle}`),
      h("small", {}, ` ${nodes.map((node) => app.inspector.place(node)).join(" and ")}`),
      isScheduled ? h("span", { class: "chip", title: "The schedule activates this one next" }, "next") : null),
    isLone ? null : h("p", {}, shared.join(" ")),
    isLone ? this.way(ways[0], told[0].map(whole), isScheduled)
      : h("div", { class: own.every((words) => words.join("").length <= SHORT) ? "ways chips" : "ways" },
        ways.map((way, i) => this.way(way, own[i], isScheduled))));
  }

  /** @param {Move} way @param {string[]} words @param {boolean} isScheduled */
  way(way, words, isScheduled) {
    const { particle, coins, drawn } = way, isNext = isScheduled && drawn;
    const title = coins.length === 0 ? "Activate it" : drawn ? "Activate it: this is how its coins fall by the seed" : "Activate it, with its coins falling like this";
    return h("button", {
      class: isNext ? "way scheduled" : "way", title, "aria-current": isNext ? "step" : "false",
      "data-test": `move-${particle}-${coins.join("-")}`, onfocus: () => this.app.pointAt(particle),
      onclick: () => (isNext ? this.app.player.step("activations") : this.app.activate(particle, coins)),
    }, coins.length ? h("i", { class: drawn ? "coin drawn" : "coin" }) : null, h("span", {}, words.length ? words.map((one) => h("span", {}, one)) : "nothing more"));
  }

  /** @param {Move} way @param {number[]} nodes */
  sentences({ particle, frame }, nodes) {
    const { app } = this;
    return app.inspector.sentences(particle, nodes.flatMap((node) => unitsOfNode(app.stage, node)), app.moment.with(fromBase64(frame)));
  }
}

// "It flips heads." is "flips heads" where it is clear who does.
/** @param {string} sentence */
const brief = (sentence) => sentence.replace(/^It /, "").replace(/\.$/, "");

// As a sentence of its own it has a capital.
/** @param {string} sentence */
const whole = (sentence) => { const words = sentence.replace(/^It /, ""); return words[0].toUpperCase() + words.slice(1); };
