// @ts-check
// The list of layers, each with its marks: switches and legend in one.

import { h, pen, refill } from "./dom.js";
import { FAULTS } from "./draw.js";
import { corners } from "./marks.js";

/** @typedef {import("./types").Colours} Colours */
/** @typedef {import("./types").Layer} Layer */
/** @typedef {(ctx: CanvasRenderingContext2D, colours: Colours) => void} Paint */
/** @typedef {[words: string, paint: Paint | null, width: number]} Line */

const RADIUS = 6.5, MIDDLE = 9;

// The legend of the layers that every election has.
/** @type {Record<string, Line[]>} */
const GROUND = {
  particles: [["contracted, expanded", (c, k) => { capsule(c, 9, 0.01, k); capsule(c, 28, 12, k); }, 46]],
  termination: [
    ["has the message", (c, k) => dot(c, 6, k.message, k.terminated_edge), 20],
    ["terminated", (c, k) => dot(c, 6, k.terminated, k.terminated_edge), 20],
  ],
  boundaries: [
    ["outer boundary", (c, k) => arrow(c, k.outer), 30],
    ["inner boundary", (c, k) => arrow(c, k.inner), 30],
  ],
};

/** @param {CanvasRenderingContext2D} ctx @param {number} radius @param {string} fill @param {string} [edge] */
function dot(ctx, radius, fill, edge) {
  ctx.beginPath();
  ctx.arc(MIDDLE, MIDDLE, radius, 0, 2 * Math.PI);
  ctx.fillStyle = fill;
  ctx.fill();
  if (edge) { ctx.strokeStyle = edge; ctx.lineWidth = 1.2; ctx.stroke(); }
}

/** @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} length @param {number} width @param {string} colour */
function line(ctx, x, length, width, colour) {
  ctx.lineCap = "round";
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.beginPath();
  ctx.moveTo(x, MIDDLE);
  ctx.lineTo(x + length, MIDDLE);
  ctx.stroke();
}

/** @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} length @param {Colours} colours */
function capsule(ctx, x, length, colours) {
  line(ctx, x, length, 14, colours.particle_edge);
  line(ctx, x, length, 12, colours.particle);
}

/** @param {CanvasRenderingContext2D} ctx @param {string} colour */
function arrow(ctx, colour) {
  line(ctx, 3, 24, 2, colour);
  ctx.fillStyle = colour;
  ctx.beginPath();
  for (const [x, y] of [[20, 9], [12, 4.5], [12, 13.5]]) ctx.lineTo(x, y);
  ctx.fill();
}

/** @param {Paint} paint @param {number} width @param {Colours} colours */
function swatch(paint, width, colours) {
  const canvas = h("canvas", { class: "swatch", width: width * 2, height: 36 });
  canvas.style.width = `${width}px`;
  const ctx = pen(canvas);
  ctx.scale(2, 2);
  paint(ctx, colours);
  return canvas;
}

export class Layers {
  /** @param {import("./types").Stage} stage @param {import("./marks.js").Marks} marks @param {() => void} changed @param {() => void} close */
  constructor(stage, marks, changed, close) {
    this.stage = stage;
    this.marks = marks;
    this.changed = changed;
    this.close = close;
    /** @type {Map<string, boolean>} layers that were switched by hand */
    this.chosen = new Map();
    this.key = "";
    this.element = h("section", { class: "layers", "aria-label": "Layers" });
  }

  // Layers that have not been switched by hand are those that suit the phase.
  /** @param {number} phase */
  active(phase) {
    const isOn = (/** @type {Layer} */ { id, phases }) => this.chosen.get(id) ?? (phases === null || phases.includes(phase));
    return new Set(this.stage.layers.filter(isOn).map(({ id }) => id));
  }

  /** @param {number} phase @param {Colours} colours */
  render(phase, colours) {
    const on = this.active(phase);
    const key = [...on, colours.paper, this.chosen.size].join();
    if (key === this.key) return;
    this.key = key;
    refill(this.element,
      h("h2", {}, "Layers", this.chosen.size
        ? h("button", { class: "link", onclick: () => this.reset() }, "suit the phase") : "",
      h("button", { class: "close", title: "Close", onclick: this.close }, "×")),
      this.stage.layers.map((layer) => this.row(layer, on.has(layer.id), colours)));
  }

  /** @param {Layer} layer @param {boolean} on @param {Colours} colours */
  row(layer, on, colours) {
    const flip = (/** @type {any} */ { target }) => { this.chosen.set(layer.id, target.checked); this.changed(); };
    const lines = (on ? this.legend(layer) : []).map(([words, paint, width]) => h("div", { class: "mark" },
      paint ? swatch(paint, width, colours) : null, h("span", {}, words)));
    return h("div", { class: on ? "layer on" : "layer" },
      h("label", {}, h("input", { type: "checkbox", checked: on, onchange: flip, "data-layer": layer.id }), layer.name),
      lines);
  }

  /** @param {Layer} layer @returns {Line[]} */
  legend(layer) {
    const { marks, stage } = this;
    if (layer.id === "leader") return [["leader", (ctx, colours) => {
      dot(ctx, 9, colours.leader);
      ctx.beginPath();
      corners(ctx, stage.forms.star, MIDDLE, MIDDLE, 8);
      ctx.fillStyle = colours.on_leader;
      ctx.fill();
    }, 20]];
    if (layer.id === "faults") return [["crash", "crashed"], ["corrupt", "memory corrupted"]].map(([kind, words]) => [words, (ctx, colours) => {
      ctx.beginPath();
      corners(ctx, stage.forms[FAULTS[kind]], MIDDLE, MIDDLE, 8);
      ctx.fillStyle = colours.fault;
      ctx.fill();
    }, 20]);
    if (GROUND[layer.id]) return GROUND[layer.id];
    const scale = RADIUS / marks.largest(layer);
    return layer.legend.map(({ words, samples }) => {
      const [band] = layer.bands;
      if (band) return [words, (ctx, colours) => band.colours.forEach((name, i) => line(ctx, 7 + 22 * i, 10, 11, colours[name])), 46];
      if (!samples.length) return [words, null, 0];
      const widths = samples.map((sample) => Math.max(16, marks.width(layer.id, sample) * scale + 3));
      return [words, (ctx, colours) => {
        let x = 0;
        samples.forEach((sample, i) => {
          marks.sample(ctx, layer.id, sample, colours, x + MIDDLE, MIDDLE, scale);
          x += widths[i];
        });
      }, Math.max(20, widths.reduce((sum, width) => sum + width, 2))];
    });
  }

  // Switch layers as if by hand; "all" stands for all of them.
  /** @param {[layer: string, on: boolean][]} switched */
  choose(switched) {
    const all = switched.filter(([id]) => id === "all"), single = switched.filter(([id]) => id !== "all");
    for (const [id, on] of [...all, ...single]) {
      for (const layer of this.stage.layers) if (id === "all" || id === layer.id) this.chosen.set(layer.id, on);
    }
  }

  reset() {
    this.chosen.clear();
    this.changed();
  }
}
