// @ts-check
// The boundary unrolled: the present moment along a line, and below it the whole run, agents across and
// rounds down. It is linked with the lattice: what is pointed at in one is shown in the other.

import { h, pen } from "./dom.js";
import { clear } from "./draw.js";
import { band, pixels, Present } from "./space_time_pixels.js";
import { straightened } from "./stage.js";

/** @typedef {import("./types").Stage} Stage */
/** @typedef {import("./types").Colours} Colours */

// In pixels: beside, below and above the diagram; and the strip with the present moment.
const LEFT = 46, BELOW = 20, STRIP = 62;
// Pixels between agents from which on their marks can be read.
const MARKS = 22;

export class SpaceTime {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.open = this.done = false;
    /** @type {number[]} */
    this.rounds = [];
    /** @type {Uint8Array[]} */
    this.rows = [];
    this.every = this.columns = 0;
    /** @type {HTMLCanvasElement | null} */
    this.image = null;
    this.imageKey = "";
    /** @type {Stage | null} */
    this.straight = null;
    /** @type {Present | null} */
    this.rowOf = null;
    this.canvas = h("canvas", { class: "diagram", tabIndex: 0, "aria-label": "Space-time diagram: agents across, rounds down", "data-test": "diagram" });
    this.legend = h("div", { class: "traces" });
    this.element = h("section", { class: "space-time", "aria-label": "Space-time diagram" }, this.legend, this.canvas);
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => this.app.pointAt(-1));
    this.canvas.addEventListener("click", (event) => this.choose(event));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => app.redraw()).observe(this.canvas);
  }

  // A new run: nothing of it is known.
  forget() {
    this.rounds = [];
    this.rows = [];
    this.every = this.columns = 0;
    this.done = false;
    this.image = this.straight = null;
    this.imageKey = "";
  }

  toggle(on = !this.open) {
    this.open = on;
    this.app.element.classList.toggle("unrolled", on);
    if (on) this.watch();
    this.app.redraw();
  }

  // The diagram is recorded in the background: ask for what is new, until it is done.
  async watch() {
    const { app } = this, { stage } = app;
    for (let wait = 60; this.open && !this.done && app.stage === stage; wait = Math.min(600, wait * 1.5)) {
      try {
        const answer = await app.source.ask({ do: "space_time", known: this.rows.length, every: this.every });
        if (app.stage !== stage) return;
        this.read(answer);
        app.redraw();
      } catch (error) {
        app.say(/** @type {Error} */ (error).message);
        this.toggle(false);
        return;
      }
      await new Promise((next) => setTimeout(next, wait));
    }
  }

  /** @param {ArrayBuffer} buffer */
  read(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    const about = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    const size = about.columns * this.app.stage.traces.length;
    this.rounds.length = this.rows.length = about.from;
    about.rounds.forEach((/** @type {number} */ round, /** @type {number} */ i) => {
      this.rounds.push(round);
      this.rows.push(new Uint8Array(buffer, 4 + length + i * size, size));
    });
    Object.assign(this, { every: about.every, columns: about.columns, done: about.done });
  }

  get last() { return Math.max(1, this.rounds[this.rounds.length - 1] ?? 1, this.app.moment?.round ?? 0); }

  /** Where the diagram is on its canvas. */
  box() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    return { left: LEFT, top: STRIP, width: Math.max(1, width - LEFT - 8), height: Math.max(1, height - STRIP - BELOW) };
  }

  /** The agent and the round at a place. @param {MouseEvent} event */
  at(event) {
    const { left, top, width, height } = this.box(), { agents } = this.app.stage;
    const x = (event.offsetX - left) / width, y = (event.offsetY - top) / height;
    if (x < 0 || x >= 1 || y > 1) return null;
    return { agent: Math.floor(x * agents), round: y < 0 ? this.app.moment.round : Math.round(y * this.last) };
  }

  /** @param {MouseEvent} event */
  point(event) {
    const found = this.app.stage && this.at(event);
    this.canvas.title = found ? `Agent ${found.agent.toLocaleString("en")}, round ${found.round.toLocaleString("en")}` : "";
    this.app.pointAt(found ? this.particleOf(found.agent) : -1, found ? found.agent : -1);
  }

  /** @param {MouseEvent} event */
  choose(event) {
    const found = this.app.stage && this.at(event);
    if (!found) return;
    this.app.select(this.particleOf(found.agent));
    this.app.player.seek(found.round);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { moment, player } = this.app, step = Math.max(1, Math.round(this.last / 100));
    const by = { ArrowUp: -step, ArrowDown: step }[event.key];
    if (!by) return;
    event.preventDefault();
    player.seek(Math.max(0, Math.min(this.last, moment.round + by)));
  }

  /** @param {number} agent */
  particleOf(agent) {
    const { stage } = this.app;
    return stage.particle_of_node[stage.node_of_agent[agent]];
  }

  /** @param {Colours} colours @param {Set<string>} layers */
  draw(colours, layers) {
    const { canvas } = this, ratio = globalThis.devicePixelRatio || 1;
    if (!this.open || !canvas.clientWidth) return;
    canvas.width = Math.round(canvas.clientWidth * ratio);
    canvas.height = Math.round(canvas.clientHeight * ratio);
    const ctx = pen(canvas);
    clear(ctx, colours.paper);
    this.name(colours);
    this.drawStrip(ctx, colours, layers, ratio);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawRows(ctx, colours);
    this.axes(ctx, colours);
    this.pointers(ctx, colours);
    canvas.dataset.rows = String(this.rows.length);
  }

  // The present moment: the marks of the lattice along a straight boundary, or where they would be too
  // small, a row of the diagram.
  /** @param {CanvasRenderingContext2D} ctx @param {Colours} colours @param {Set<string>} layers @param {number} ratio */
  drawStrip(ctx, colours, layers, ratio) {
    const { stage } = this.app, { left, width } = this.box();
    if (!stage.on_nodes && width / stage.agents >= MARKS) { this.drawMarks(ctx, colours, layers, ratio); return; }
    const row = this.present.row(this.app.moment, Math.min(stage.agents, Math.floor(width)));
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(band(row, stage.traces, colours), left, 10, width, STRIP - 24);
    ctx.strokeStyle = colours.muted;
    ctx.strokeRect(left - 0.5, 9.5, width + 1, STRIP - 23);
  }

  /** @param {CanvasRenderingContext2D} ctx @param {Colours} colours @param {Set<string>} layers @param {number} ratio */
  drawMarks(ctx, colours, layers, ratio) {
    const { stage, moment, marks } = this.app, { left, width } = this.box();
    this.straight ??= straightened(stage);
    const scale = width / stage.agents;
    ctx.setTransform(scale * ratio, 0, 0, scale * ratio, (left + scale / 2) * ratio, (STRIP - 12) * ratio);
    ctx.lineCap = ctx.lineJoin = "round";
    // Everything is visible: the window has no end.
    const camera = { scale, ratio, width: 1, height: 1, plane: (/** @type {number} */ x) => (x ? [1e9, 1e9] : [-1e9, -1e9]) };
    const units = Array.from({ length: stage.agents }, (_, i) => i), nodes = { ranges: [], length: 0 };
    /** @type {any} */
    const scene = { ctx, stage: this.straight, moment, marks, camera, layers, colours, pixel: 1 / scale, nodes, units, agents: units };
    for (const [number, [first, length]] of stage.boundaries.entries()) {
      ctx.strokeStyle = colours[number ? "inner" : "outer"];
      ctx.lineWidth = 1.5 / scale;
      ctx.beginPath();
      ctx.moveTo(first - 0.3, -stage.sizes.agent_out);
      ctx.lineTo(first + length - 0.7, -stage.sizes.agent_out);
      ctx.stroke();
    }
    for (const { id } of stage.layers) if (layers.has(id)) marks.draw(scene, id);
  }

  // What records the present moment as a row.
  get present() {
    const { stage } = this.app;
    if (this.rowOf?.stage !== stage) this.rowOf = new Present(stage);
    return this.rowOf;
  }

  /** @param {CanvasRenderingContext2D} ctx @param {Colours} colours */
  drawRows(ctx, colours) {
    const key = [this.rows.length, this.every, colours.paper].join(), { left, top, width, height } = this.box();
    if (!this.rows.length) return;
    if (key !== this.imageKey) {
      this.image = pixels(this.rows, this.columns, this.app.stage.traces, colours);
      this.imageKey = key;
    }
    ctx.imageSmoothingEnabled = this.columns > width;
    const high = (height * Math.max(1, this.rounds[this.rounds.length - 1])) / this.last;
    if (this.image) ctx.drawImage(this.image, left, top, width, high);
  }

  /** @param {CanvasRenderingContext2D} ctx @param {Colours} colours */
  axes(ctx, colours) {
    const { left, top, width, height } = this.box(), { stage } = this.app;
    ctx.fillStyle = colours.muted;
    ctx.font = "11px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    ctx.textAlign = "right";
    for (const round of ticks(this.last, height / 48)) ctx.fillText(round.toLocaleString("en"), left - 6, top + (height * round) / this.last);
    ctx.textAlign = "center";
    for (const agent of ticks(stage.agents, width / 70)) {
      const x = left + (width * agent) / stage.agents;
      if (x < left + width - 14) ctx.fillText(agent.toLocaleString("en"), Math.max(left + 4, x), top + height + 11);
    }
    ctx.strokeStyle = colours.muted;
    ctx.lineWidth = 1;
    ctx.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
    ctx.strokeStyle = colours.inner;
    ctx.beginPath();
    for (const [first] of stage.boundaries.slice(1, 40)) {
      ctx.moveTo(left + (width * first) / stage.agents, top);
      ctx.lineTo(left + (width * first) / stage.agents, top + height);
    }
    ctx.stroke();
  }

  // The present round, and the agents that are pointed at or selected.
  /** @param {CanvasRenderingContext2D} ctx @param {Colours} colours */
  pointers(ctx, colours) {
    const { left, top, width, height } = this.box(), { stage, moment, selected, pointed } = this.app;
    const y = top + (height * (moment.round + (moment.position ? 0.5 : 0))) / this.last;
    ctx.strokeStyle = colours.ink;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.moveTo(left - 4, y);
    ctx.lineTo(left + width + 4, y);
    ctx.stroke();
    const across = (/** @type {number} */ particle, /** @type {number[]} */ dash) => {
      if (particle < 0) return;
      ctx.setLineDash(dash);
      ctx.beginPath();
      for (let agent = 0; agent < stage.agents; agent++) {
        if (this.particleOf(agent) !== particle) continue;
        const x = left + (width * (agent + 0.5)) / stage.agents;
        ctx.moveTo(x, 4);
        ctx.lineTo(x, top + height);
      }
      ctx.stroke();
      ctx.setLineDash([]);
    };
    ctx.lineWidth = 1;
    across(selected, []);
    across(pointed.particle, [3, 3]);
  }

  // The traces that occur, in their colours.
  /** @param {Colours} colours */
  name(colours) {
    const { traces } = this.app.stage, { columns } = this;
    const occur = traces.map((_, n) => this.rows.some((row) => row.subarray(n * columns, (n + 1) * columns).some((share) => share)));
    const key = [colours.paper, ...occur].join();
    if (this.legend.dataset.key === key) return;
    this.legend.dataset.key = key;
    this.legend.replaceChildren(...traces.filter((_, n) => occur[n]).map(({ name, colour, tint }) => {
      const swatch = h("i");
      swatch.style.background = colours[colour].slice(0, 7);
      swatch.style.opacity = String(Math.min(1, 1.6 * (tint ?? 1)));
      return h("span", {}, swatch, name);
    }));
  }
}

/** About N round numbers from 0 to a last one. @param {number} last @param {number} wanted */
function ticks(last, wanted) {
  const rough = last / Math.max(1, wanted), power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const apart = power * ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10);
  return Array.from({ length: Math.floor(last / apart) + 1 }, (_, i) => i * apart);
}
