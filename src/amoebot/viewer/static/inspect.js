// The panel about one particle: its agents' memories, and what it would do if activated now.

import { fill, h } from "./dom.js";
import { agentsOfNode, nodesOfParticle } from "./stage.js";
import { deeds, lanes } from "./words.js";

export class Inspector {
  constructor(app) {
    this.app = app;
    this.particle = -1;
    this.element = h("section", { class: "inspect", "aria-label": "Inspect" });
    this.element.dataset.test = "inspect";
  }

  select(particle) {
    this.particle = particle;
    this.next = null;
    this.open = this.open || new Set(["Segment setup", "Identifier setup", "Identifier comparison"]);
    this.update();
  }

  // Ask what the particle would do, unless moments pass so fast that nobody could read it.
  async update() {
    const { app, particle } = this;
    if (particle < 0 || !app.stage || particle >= app.stage.particles) {
      this.particle = -1;
      this.render();
      return;
    }
    this.render();
    if (!app.source.live || app.player.playing || app.player.busy) return;
    try {
      const version = app.moment.version;
      const answer = await app.source.ask({ do: "what_if", particle });
      if (answer.particle !== this.particle || version !== app.moment.version) return;
      this.next = { version, ...answer };
      this.render();
    } catch { /* the run has changed meanwhile */ }
  }

  render() {
    const { app, particle } = this;
    const { stage, moment } = app;
    if (particle < 0) {
      fill(this.element, h("p", { class: "hint" }, "Click a particle to read its memory."));
      return;
    }
    const nodes = nodesOfParticle(stage, particle);
    const agents = nodes.flatMap((node) => [...agentsOfNode(stage, node)]);
    const where = nodes.map((i) => `(${stage.nodes[2 * i]}, ${stage.nodes[2 * i + 1]})`).join(" and ");
    fill(this.element,
      h("h2", {}, `Particle ${particle}`,
        h("button", { class: "close", title: "Close", onclick: () => app.select(-1) }, "×")),
      h("p", { class: "where" }, `${nodes.length > 1 ? "Expanded, at" : "Contracted, at"} ${where}`),
      this.status(agents),
      this.would(agents),
      agents.map((agent, i) => this.agent(agent, i)));
    this.element.dataset.version = moment.version;
  }

  status(agents) {
    const { moment } = this.app;
    const words = [];
    if (moment.leader === this.particle) words.push("It is the leader.");
    if (moment.particles[this.particle] === 1) words.push("It has the termination message.");
    if (moment.particles[this.particle] === 2) words.push("It has terminated.");
    if (!agents.length) words.push("It is on no boundary, and takes no part in the election.");
    return words.length ? h("p", { class: "status" }, words.join(" ")) : null;
  }

  would(agents) {
    const { app } = this;
    if (!app.source.live) return null;
    const current = this.next && this.next.version === app.moment.version;
    const told = current ? this.sentences(agents) : null;
    return h("div", { class: "would" },
      h("h3", {}, "If activated now"),
      h("ul", { "data-test": "what-if" },
        told === null ? h("li", {}, "…") : told.map((sentence) => h("li", {}, sentence))),
      h("button", { "data-test": "activate", class: "primary",
        title: "Run exactly this activation. The run becomes one by hand.",
        onclick: () => app.activate(this.particle) }, "Activate this one"));
  }

  sentences(agents) {
    const { stage, moment } = this.app;
    const after = new Map(this.next.agents.map(([agent, text]) =>
      [agent, Uint8Array.from(atob(text), (character) => character.charCodeAt(0))]));
    const pair = (agent) => {
      const now = moment.record(agent);
      return [now, after.get(agent) || now];
    };
    const found = agents.flatMap((agent, i) => {
      const said = deeds(pair(agent), pair(stage.pred[agent]), pair(stage.succ[agent]));
      const who = agents.length > 1 ? `Agent ${i + 1} ` : "It ";
      return said.map((sentence) => (sentence.startsWith("its") || sentence.startsWith("second")
        ? sentence[0].toUpperCase() + sentence.slice(1) : who + sentence) + ".");
    });
    const passed = this.next.particles.filter(([, state]) => state === 1).length;
    if (this.next.particles.some(([who, state]) => who === this.particle && state === 2)) {
      found.push(`It passes the termination message on to ${passed} more, and terminates.`);
    }
    if (!found.length) {
      found.push(this.next.agents.length ? "It changes its memory." : "Nothing: there is nothing to do here now.");
    }
    return found;
  }

  agent(agent, index) {
    const { stage, moment } = this.app;
    const outer = stage.cycle[agent] === 0;
    const place = outer ? "outer boundary" : `inner boundary ${stage.cycle[agent]}`;
    const all = lanes(moment.record(agent), {
      almostSure: stage.options.almost_sure, hasDigit: moment.drawn()[agent] === 1,
    });
    return h("article", { class: outer ? "agent outer" : "agent inner" },
      h("h3", {}, `Agent ${index + 1}`, h("small", {}, ` ${place}, agent ${agent}`)),
      all.map(([title, section, rows]) => h("details", {
        open: this.open.has(title) || all.length === 1,
        ontoggle: ({ target }) => (target.open ? this.open.add(title) : this.open.delete(title)),
      },
      h("summary", {}, title, section ? h("small", {}, ` ${section}`) : null),
      h("dl", {}, rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, String(value))])))));
  }
}
