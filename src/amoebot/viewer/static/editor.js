// @ts-check
// Drawing a shape: particles are drawn and erased, expanded and contracted on the lattice. Whether
// they hang together is shown all the time; what does not cannot be run.

import { count, h } from "./dom.js";
import { clear, lookThrough } from "./draw.js";
import { nearestNode, ROW } from "./stage.js";

/** @typedef {import("./types").Point} Point */
/** @typedef {{ name?: string, nodes: Point[], expanded: [Point, Point][] }} Drawing */

const STEPS = [[1, 0], [1, -1], [0, -1], [-1, 0], [-1, 1], [0, 1]];
const HALF = 2 ** 20;
export const MOST = 20_000;
const MOST_UNDONE = 50;

// A node as one number, which is quicker to look up than text.
/** @param {number} x @param {number} y */
const key = (x, y) => (x + HALF) * 2 * HALF + (y + HALF);
/** @param {number} number @returns {Point} */
const nodeOf = (number) => [Math.floor(number / (2 * HALF)) - HALF, (number % (2 * HALF)) - HALF];
/** @param {Point} node @returns {Point} */
const place = ([x, y]) => [x + y / 2, -y * ROW];

export class Editor {
  /** @param {import("./app.js").App} app @param {Drawing} drawing @param {(shape: Drawing | null) => void} finish */
  constructor(app, { nodes, expanded }, finish) {
    this.app = app;
    this.finish = finish;
    this.tool = "draw";
    /** @type {Point | null} where the pointer is while it draws */
    this.last = null;
    /** @type {Point} */
    this.start = [0, 0];
    /** @type {Map<number, number>} the other node of each expanded particle's */
    this.partners = new Map();
    /** @type {Map<number, number>} the separate part that each node belongs to */
    this.parts = new Map();
    this.largest = 0;
    this.nodes = new Set(nodes.map(([x, y]) => key(x, y)));
    for (const [[ax, ay], [bx, by]] of expanded) this.pair(key(ax, ay), key(bx, by));
    /** @param {string} name @param {string} words @param {string} title */
    const tool = (name, words, title) => h("button", { title, "data-tool": name, onclick: () => this.choose(name) }, words);
    this.tools = [
      tool("draw", "Draw", "Add particles"), tool("erase", "Erase", "Remove particles"),
      tool("expand", "Expand, contract", "Drag a particle into an empty node; click the end that an expanded one is to leave"),
    ];
    this.status = h("output", { class: "status", "data-test": "editor-status" });
    this.run = h("button", { class: "primary", "data-test": "run-shape", onclick: () => this.finish(this.shape()) }, "Run this shape");
    this.element = h("div", { class: "editor" }, h("div", { class: "group" }, this.tools),
      h("button", { "data-test": "clear", onclick: () => { this.keep(); this.nodes.clear(); this.partners.clear(); this.check(); } }, "Clear"),
      h("button", { "data-test": "undo", title: "Undo the last stroke (Ctrl+Z)", onclick: () => this.undo() }, "Undo"),
      this.status, this.run,
      h("button", { "data-test": "cancel", onclick: () => this.finish(null) }, "Cancel"));
    const { canvas, camera } = app;
    camera.locked = true;
    /** @type {["pointerdown" | "pointermove" | "pointerup", (event: PointerEvent) => void][]} */
    this.listeners = [
      ["pointerdown", (event) => { if (event.button === 0) this.begin(event); }],
      ["pointermove", (event) => this.go(event)],
      ["pointerup", () => this.end()],
    ];
    for (const [name, listener] of this.listeners) canvas.addEventListener(name, listener);
    /** @type {{ nodes: Set<number>, partners: Map<number, number> }[]} what was before each stroke */
    this.before = [];
    this.choose("draw");
    this.check();
  }

  // Remember the drawing before it is changed.
  keep() {
    this.before.push({ nodes: new Set(this.nodes), partners: new Map(this.partners) });
    if (this.before.length > MOST_UNDONE) this.before.shift();
  }

  undo() {
    const last = this.before.pop();
    if (!last) return;
    Object.assign(this, last);
    this.check();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === "Escape") this.finish(null);
    else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") this.undo();
    else return;
    event.preventDefault();
  }

  close() {
    for (const [name, listener] of this.listeners) this.app.canvas.removeEventListener(name, listener);
    this.app.camera.locked = false;
    this.element.remove();
  }

  /** @param {string} name */
  choose(name) {
    this.tool = name;
    for (const button of this.tools) button.classList.toggle("on", button.dataset.tool === name);
  }

  /** @param {number} a @param {number} b */
  pair(a, b) {
    this.partners.set(a, b);
    this.partners.set(b, a);
  }

  /** @param {number} a */
  part(a) {
    const b = this.partners.get(a);
    this.partners.delete(a);
    if (b !== undefined) this.partners.delete(b);
  }

  /** @param {PointerEvent} event */
  at(event) { return nearestNode(...this.app.camera.planeOf(event)); }

  /** @param {PointerEvent} event */
  begin(event) {
    const node = this.at(event);
    this.keep();
    this.start = this.last = node;
    if (this.tool !== "expand") this.touch(node);
  }

  /** @param {PointerEvent} event */
  go(event) {
    if (!this.last || this.app.camera.pointers.size > 1) return;
    const node = this.at(event);
    if (this.tool !== "expand") for (const passed of between(this.last, node)) this.touch(passed);
    this.last = node;
  }

  end() {
    if (!this.last) return;
    if (this.tool === "expand") this.stretch(key(...this.start), key(...this.last), this.last);
    this.last = null;
  }

  /** @param {Point} node */
  touch([x, y]) {
    const node = key(x, y);
    if (this.tool === "draw") {
      if (this.nodes.size >= MOST) return;
      this.nodes.add(node);
    } else if (this.nodes.delete(node) && this.partners.has(node)) this.part(node);
    this.check();
  }

  /** @param {number} from @param {number} to @param {Point} node */
  stretch(from, to, [x, y]) {
    if (!this.nodes.has(from)) return;
    if (from === to) {
      if (this.partners.has(from)) { // contract out of this end
        this.part(from);
        this.nodes.delete(from);
      }
    } else if (this.partners.has(from)) this.app.say("This particle is expanded already.");
    else if (this.nodes.has(to)) this.app.say("A particle expands into an empty node.");
    else if (!STEPS.some(([dx, dy]) => key(x + dx, y + dy) === from)) this.app.say("A particle expands into a neighbouring node.");
    else {
      this.nodes.add(to);
      this.pair(from, to);
    }
    this.check();
  }

  // Find the separate parts, and say what is wrong.
  check() {
    this.parts = new Map();
    /** @type {number[]} */
    const sizes = [];
    for (const first of this.nodes) {
      if (this.parts.has(first)) continue;
      const waiting = [first];
      this.parts.set(first, sizes.length);
      let size = 0;
      while (waiting.length) {
        const [x, y] = nodeOf(/** @type {number} */ (waiting.pop()));
        size++;
        for (const [dx, dy] of STEPS) {
          const other = key(x + dx, y + dy);
          if (!this.nodes.has(other) || this.parts.has(other)) continue;
          this.parts.set(other, sizes.length);
          waiting.push(other);
        }
      }
      sizes.push(size);
    }
    this.largest = sizes.indexOf(Math.max(...sizes));
    const particles = this.nodes.size - this.partners.size / 2;
    const fine = sizes.length === 1;
    this.status.textContent = !sizes.length ? "Draw at least one particle."
      : fine ? `${count(particles, "particle")}, connected.`
      : `${count(particles, "particle")} in ${sizes.length} separate parts: join them.`;
    this.status.classList.toggle("wrong", !fine);
    this.run.disabled = !fine;
    this.app.redraw();
  }

  shape() {
    const nodes = [...this.nodes].map(nodeOf);
    /** @type {[Point, Point][]} */
    const expanded = [];
    for (const [a, b] of this.partners) if (a < b) expanded.push([nodeOf(a), nodeOf(b)]);
    return { name: "drawing", nodes, expanded };
  }

  box() {
    const points = [...this.nodes].map((number) => place(nodeOf(number)));
    if (!points.length) return { left: -6, right: 6, top: -5, bottom: 5 };
    const xs = points.map(([x]) => x), ys = points.map(([, y]) => y);
    /** @param {number[]} values */
    const least = (values) => values.reduce((a, b) => Math.min(a, b));
    /** @param {number[]} values */
    const most = (values) => values.reduce((a, b) => Math.max(a, b));
    return { left: least(xs) - 1, right: most(xs) + 1, top: least(ys) - 1, bottom: most(ys) + 1 };
  }

  /** @param {CanvasRenderingContext2D} ctx */
  draw(ctx) {
    const { camera, colours, stage } = this.app;
    clear(ctx, colours.paper);
    lookThrough(ctx, camera);
    if (camera.scale > 9) this.lattice(ctx, camera, colours);
    for (const node of this.nodes) {
      const other = this.partners.get(node);
      if (other !== undefined && other < node) continue;
      const stray = this.parts.get(node) !== this.largest;
      const line = [place(nodeOf(node)), place(nodeOf(other ?? node))];
      for (const [colour, width] of /** @type {[string, number][]} */ ([
        [stray ? colours.candidate : colours.particle_edge, 0.03], [colours.particle, stray ? -0.08 : -0.03],
      ])) {
        ctx.strokeStyle = colour;
        ctx.lineWidth = 2 * stage.sizes.particle + width;
        ctx.beginPath();
        ctx.moveTo(...line[0]);
        ctx.lineTo(line[1][0] + 1e-3, line[1][1]); // not of no length: that is not drawn
        ctx.stroke();
      }
    }
  }

  /** @param {CanvasRenderingContext2D} ctx @param {import("./camera.js").Camera} camera @param {import("./types").Colours} colours */
  lattice(ctx, camera, colours) {
    const [left, top] = camera.plane(0, 0), [right, bottom] = camera.plane(camera.width, camera.height);
    ctx.fillStyle = colours.bond;
    for (let y = Math.floor(-bottom / ROW); y <= Math.ceil(-top / ROW); y++) {
      for (let x = Math.floor(left - y / 2); x <= Math.ceil(right - y / 2); x++) {
        const [px, py] = place([x, y]);
        ctx.beginPath();
        ctx.arc(px, py, 0.07, 0, 2 * Math.PI);
        ctx.fill();
      }
    }
  }
}

// The nodes from one to another, so that a quick stroke leaves no gaps.
/** @param {Point} from @param {Point} to */
function between([ax, ay], [bx, by]) {
  const steps = Math.max(1, Math.abs(bx - ax), Math.abs(by - ay), Math.abs(ax + ay - bx - by));
  const passed = [];
  for (let i = 0; i <= steps; i++) {
    const [px, py] = place([ax + ((bx - ax) * i) / steps, ay + ((by - ay) * i) / steps]);
    passed.push(nearestNode(px, py));
  }
  return passed;
}
