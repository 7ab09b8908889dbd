// The list of layers, each with its marks: switches and legend in one.

import { h } from "./dom.js";
import { activationToken, coinMark, digitToken, identificationToken, label, signToken, star, stopToken } from "./tokens.js";
import { TOKEN } from "./moment.js";

// What the marks of each layer stand for, in the paper's words, and how to draw them 18 wide.
const LEGEND = {
  bonds: [],
  particles: [
    ["contracted, expanded", (c, k) => { capsule(c, 9, 9, 0.01, k); capsule(c, 28, 9, 12, k); }, 46],
  ],
  termination: [
    ["has the message", (c, k) => dot(c, 9, 9, 6, k.message, k.terminated_edge)],
    ["terminated", (c, k) => dot(c, 9, 9, 6, k.terminated, k.terminated_edge)],
  ],
  segments: [["of one candidate each", (c, k) => twoBands(c, "segment", k), 46]],
  extended: [["to the next candidate", (c, k) => twoBands(c, "extended", k), 46]],
  boundaries: [
    ["outer boundary", (c, k) => arrow(c, k.outer), 30],
    ["inner boundary", (c, k) => arrow(c, k.inner), 30],
  ],
  agents: [
    ["candidate", (c, k) => dot(c, 9, 9, 6.5, k.candidate, k.paper)],
    ["candidate that withdrew", (c, k) => dot(c, 9, 9, 6, k.paper, k.candidate, 2.2)],
    ["non-candidate", (c, k) => dot(c, 9, 9, 5, k.paper, k.outer, 1.8)],
    ["not activated yet", (c, k) => dot(c, 9, 9, 3, k.waiting)],
  ],
  digits: [["digit, in its agent", (c, k) => { dot(c, 9, 9, 7, k.paper, k.outer, 1.6); label(c, 9, 9, "7", 10, k.ink); }]],
  reversed: [["digit, in its particle", (c, k) => label(c, 9, 9, "7", 11, k.muted)]],
  setup: [["token, and its way", (c, k) => setupMark(c, k), 30]],
  tokens: [
    ["active digit token", (c, k) => digitToken(c, 9, 9, 4096 | TOKEN.active | 7, 6, k, true)],
    ["inactive digit token", (c, k) => digitToken(c, 9, 9, 4096 | 7, 6, k, true)],
    ["delimiter token", (c, k) => digitToken(c, 9, 9, 4096 | TOKEN.delimiter | TOKEN.active | 7, 6, k, true)],
  ],
  verification: [
    ["activation: out, home", (c, k) => {
      activationToken(c, 9, 9, 6, "x", true, k); activationToken(c, 25, 9, 6, "y", false, k);
    }, 34],
    ["positive, negative on x", (c, k) => signs(c, "x", k), 34],
    ["positive, negative on y", (c, k) => signs(c, "y", k), 34],
    ["full: settled, hollow: not yet", null],
  ],
  identification: [["sum of turns, modulo 5", (c, k) => identificationToken(c, 9, 9, 8, 1, k)]],
  second: [
    ["its candidate", (c, k) => dot(c, 9, 9, 6.5, null, k.second, 2)],
    ["its coins, heads and tails", (c, k) => {
      coinMark(c, 9, 9, 6, true, k); coinMark(c, 25, 9, 6, false, k);
    }, 34],
  ],
  stop: [
    ["stop token", (c, k) => stopToken(c, 9, 9, 8, k)],
    ["first algorithm stopped", (c, k) => dot(c, 9, 9, 6.5, null, k.stop, 1.6)],
  ],
  leader: [["leader", (c, k) => { dot(c, 9, 9, 9, k.leader); star(c, 9, 9, 8); c.fillStyle = k.paper; c.fill(); }]],
};

function dot(ctx, x, y, radius, fill, stroke, width = 1.2) {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  if (fill) { ctx.fillStyle = fill; ctx.fill(); }
  if (stroke) { ctx.strokeStyle = stroke; ctx.lineWidth = width; ctx.stroke(); }
}

function line(ctx, x, y, length, width, colour) {
  ctx.lineCap = "round";
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x + length, y);
  ctx.stroke();
}

function capsule(ctx, x, y, length, colours) {
  line(ctx, x, y, length, 14, colours.particle_edge);
  line(ctx, x, y, length, 12, colours.particle);
}

function twoBands(ctx, name, colours) {
  line(ctx, 7, 9, 10, 11, colours[`${name}_a`]);
  line(ctx, 29, 9, 10, 11, colours[`${name}_b`]);
}

function arrow(ctx, colour) {
  line(ctx, 3, 9, 24, 2, colour);
  ctx.fillStyle = colour;
  ctx.beginPath();
  for (const [x, y] of [[20, 9], [12, 4.5], [12, 13.5]]) ctx.lineTo(x, y);
  ctx.fill();
}

function setupMark(ctx, colours) {
  dot(ctx, 9, 9, 6, colours.setup);
  ctx.beginPath();
  for (const [x, y] of [[22, 9], [18, 6], [18, 12]]) ctx.lineTo(x, y);
  ctx.fillStyle = colours.setup;
  ctx.fill();
}

function signs(ctx, axis, colours) {
  signToken(ctx, 9, 9, 5, axis, "positive", true, colours);
  signToken(ctx, 25, 9, 5, axis, "negative", false, colours);
}

function swatch(paint, width, colours) {
  const canvas = h("canvas", { class: "swatch", width: width * 2, height: 36 });
  canvas.style.width = `${width}px`;
  const ctx = canvas.getContext("2d");
  ctx.scale(2, 2);
  paint(ctx, colours);
  return canvas;
}

export class Layers {
  constructor(look, changed) {
    Object.assign(this, { look, changed, chosen: new Map() });
    this.element = h("section", { class: "layers", "aria-label": "Layers" });
  }

  // Layers that the reader has not switched by hand are those that suit the phase.
  active(phase) {
    const isOn = ({ id, phases }) => this.chosen.get(id) ?? phases.includes(phase);
    return new Set(this.look.layers.filter(isOn).map(({ id }) => id));
  }

  render(phase, colours, almostSure) {
    const on = this.active(phase);
    const key = [...on].join() + colours.paper + almostSure + this.chosen.size;
    if (key === this.key) return;
    this.key = key;
    this.element.replaceChildren(
      h("h2", {}, "Layers", this.chosen.size
        ? h("button", { class: "link", onclick: () => this.reset() }, "suit the phase") : ""),
      ...this.look.layers
        .filter(({ id }) => almostSure || !["second", "stop"].includes(id))
        .map(({ id, name }) => this.row(id, name, on.has(id), colours)));
  }

  row(id, name, on, colours) {
    const flip = ({ target }) => { this.chosen.set(id, target.checked); this.changed(); };
    const marks = on ? LEGEND[id].map(([words, paint, width = 20]) => h("div", { class: "mark" },
      paint ? swatch(paint, width, colours) : null, h("span", {}, words))) : [];
    return h("div", { class: on ? "layer on" : "layer" },
      h("label", {}, h("input", { type: "checkbox", checked: on, onchange: flip, "data-layer": id }), name),
      marks);
  }

  reset() {
    this.chosen.clear();
    this.changed();
  }
}
