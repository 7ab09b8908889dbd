// @ts-check
// The panel about one particle: its memories in words, and what it would do if activated now.

import { h, refill } from "./dom.js";
import { fromBase64 } from "./moment.js";
import { nodesOfParticle, unitsOfNode } from "./stage.js";
import { Words } from "./words.js";

export class Inspector {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.particle = -1;
    /** @type {Words | null} */
    this.told = null;
    /** @type {{ version: number, after: import("./moment.js").Moment } | null} */
    this.next = null;
    /** @type {Map<string, boolean>} lanes that were opened or closed by hand */
    this.opened = new Map();
    this.element = h("section", { class: "inspect", "aria-label": "Inspect", "data-test": "inspect" });
  }

  /** @param {number} particle */
  select(particle) {
    this.particle = particle;
    this.next = null;
    this.update();
  }

  get words() {
    const { stage } = this.app;
    if (!this.told || this.told.stage !== stage) this.told = new Words(stage);
    return this.told;
  }

  // Ask what the particle would do, unless moments pass so fast that nobody could read it.
  async update() {
    const { app, particle } = this;
    if (particle < 0 || !app.stage || particle >= app.stage.particles) this.particle = -1;
    this.render();
    if (this.particle < 0 || !app.source.live || app.player.playing || app.player.busy) return;
    try {
      const { moment } = app, { version } = moment;
      const answer = await app.source.ask({ do: "what_if", particle });
      if (answer.particle !== this.particle || moment !== app.moment || version !== moment.version) return;
      this.next = { version, after: moment.with(fromBase64(answer.frame)) };
      this.render();
    } catch { /* the run has changed meanwhile */ }
  }

  /** The particle chosen, in a few words. */
  summary() {
    const { app, particle } = this, nodes = nodesOfParticle(app.stage, particle);
    const [first] = nodes.flatMap((node) => unitsOfNode(app.stage, node));
    const rows = first === undefined ? [] : this.words.memory(app.moment, first).flatMap((lane) => (lane.is_open ? lane.rows : []));
    const told = rows.slice(0, 4).map(({ name, text }) => `${name}: ${text}`);
    return [`Particle ${particle} at ${nodes.map((node) => this.place(node)).join(" and ")}`, ...told].join(", ");
  }

  render() {
    const { app, particle } = this;
    if (particle < 0) {
      refill(this.element, h("p", { class: "hint" }, "Click a particle to read its memory."));
      return;
    }
    const { stage, moment } = app;
    const nodes = nodesOfParticle(stage, particle);
    const units = nodes.flatMap((node) => unitsOfNode(stage, node));
    const where = nodes.map((i) => this.place(i)).join(" and ");
    refill(this.element,
      h("h2", {}, `Particle ${particle}`,
        h("button", { class: "close", title: "Close", onclick: () => app.select(-1) }, "×")),
      h("p", { class: "where" }, `${nodes.length > 1 ? "Expanded, at" : "Contracted, at"} ${where}`),
      this.status(units),
      this.would(units),
      units.map((unit, i) => this.unit(unit, i)));
    this.element.dataset.version = String(moment.version);
  }

  /** @param {number} node */
  place(node) {
    return `(${this.app.stage.nodes[2 * node]}, ${this.app.stage.nodes[2 * node + 1]})`;
  }

  /** @param {number[]} units */
  status(units) {
    const { moment } = this.app;
    const state = moment.stateOf(this.particle);
    const words = [
      moment.leader === this.particle ? "It is the leader." : "",
      this.happened("crash") ? "It has crashed." : "",
      this.happened("corrupt") ? "Its memory was corrupted." : "",
      ["", "It has the termination message.", "It has terminated."][state],
      units.length ? "" : "It is on no boundary, and takes no part in the election.",
    ].filter(Boolean).join(" ");
    return words ? h("p", { class: "status" }, words) : null;
  }

  /** @param {string} kind */
  happened(kind) {
    return this.app.moment.faults.some(([what, particle]) => what === kind && particle === this.particle);
  }

  /** @param {number[]} units */
  would(units) {
    const { app } = this;
    if (!app.source.live || this.happened("crash")) return null;
    const known = this.next?.version === app.moment.version ? this.sentences(this.particle, units, this.next.after) : ["…"];
    return h("div", { class: "would" },
      h("h3", {}, "If activated now"),
      h("ul", { "data-test": "what-if" }, known.map((sentence) => h("li", {}, sentence))),
      h("button", { "data-test": "activate", class: "primary",
        title: "Run exactly this activation. From here on the run is by hand.",
        onclick: () => app.activate(this.particle) }, "Activate this one"),
      [["crash", "Crash", "It is never activated again. From here on the run is by hand."],
        ["corrupt", "Corrupt", "Each field of its memory is overwritten with that of a random agent. From here on the run is by hand."]]
        .map(([kind, words, title]) => h("button", { "data-test": kind, title, onclick: () => app.harm(this.particle, kind) }, words)));
  }

  /** @param {number} particle @param {number[]} units @param {import("./moment.js").Moment} after */
  sentences(particle, units, after) {
    const { stage, moment } = this.app;
    const found = units.flatMap((unit, i) =>
      this.words.doings(unit, moment, after, units.length > 1 ? `${this.name(unit, i)}` : "It"));
    if (moment.stateOf(particle) < 2 && after.stateOf(particle) === 2) {
      let passed = 0;
      for (let p = 0; p < stage.particles; p++) if (!moment.stateOf(p) && after.stateOf(p)) passed++;
      found.push(`It passes the termination message on to ${passed} more, and terminates.`);
    }
    const changes = moment.units.some((byte, at) => byte !== after.units[at]);
    if (!found.length) found.push(changes ? "It changes its memory." : "Nothing: there is nothing to do here now.");
    return found;
  }

  /** @param {number} unit @param {number} index */
  name(unit, index) {
    return this.app.stage.on_nodes ? `Node ${this.place(unit)}` : `Agent ${index + 1}`;
  }

  /** @param {number} unit @param {number} index */
  unit(unit, index) {
    const { stage, moment } = this.app;
    const outer = stage.on_nodes || stage.boundary[unit] === 0;
    const boundary = outer ? "outer boundary" : `inner boundary ${stage.boundary[unit]}`;
    const lanes = this.words.memory(moment, unit);
    return h("article", { class: outer ? "agent outer" : "agent inner" },
      h("h3", {}, this.name(unit, index), stage.on_nodes ? null : h("small", {}, ` ${boundary}, agent ${unit}`)),
      lanes.map(({ title, section, is_open, rows }) => h("details", {
        open: this.opened.get(title) ?? is_open,
        ontoggle: (/** @type {any} */ { target }) => this.opened.set(title, target.open),
      },
      h("summary", {}, title, section ? h("small", {}, ` ${section}`) : null),
      h("dl", {}, rows.flatMap(({ name, text, hint }) => [h("dt", { title: hint }, name), h("dd", {}, text)])))));
  }
}
