// @ts-check
// What is seen of a boundary from afar, where agents are smaller than marks would have to be. Agents close
// to each other on the screen form a piece of a ribbon, tinted by how many of them hold what; candidates
// and single tokens are dots of a size that can be seen. render/afar.py draws the same on paper.

import { compile, context } from "./expressions.js";
import { parts, Ribbons } from "./ribbons.js";
import { rgb } from "./space_time_pixels.js";

/** @typedef {import("./types").Stage} Stage */
/** @typedef {import("./types").Compiled} Compiled */
/** @typedef {import("./draw.js").Scene} Scene */

// In pixels: the length of a piece, the width of the ribbon, the radius of a dot.
const PIECE = 3, RIBBON = 6.5, DOT = 4;
// How many shades a tint has.
const SHARES = 16;

/** @typedef {{ tint: number | null, holds: Compiled }} Tint */
/** @typedef {{ agents: Int32Array, ends: Int32Array, next: Int32Array }} Pieces the agents of each, where they end in that list, and who comes after */

export class Afar {
  /** @param {Stage} stage */
  constructor(stage) {
    this.stage = stage;
    this.context = context(stage);
    this.traces = stage.traces.map((trace) => ({ ...trace, holds: compile(trace.when, stage.formats.unit) }));
    /** @type {Pieces} those that were visible last */
    this.known = { agents: new Int32Array(), ends: new Int32Array(), next: new Int32Array() };
    this.view = ""; // from where
    this.ribbons = new Ribbons(0, 0, 0, []);
    this.canvas = new OffscreenCanvas(1, 1);
  }

  // The tints of a layer, or its dots, which are drawn above all tints.
  /** @param {Scene} scene @param {string} layer @param {boolean} dotted */
  draw(scene, layer, dotted) {
    const traces = this.traces.filter((trace) => trace.layer === layer && (trace.tint === null) === dotted);
    if (!traces.length) return;
    const { ctx, moment, colours, pixel } = scene, pieces = this.pieces(scene);
    this.context.me.bytes = moment.units;
    for (const { colour, holds } of dotted ? traces : []) {
      ctx.fillStyle = colours[colour];
      ctx.fill(this.dots(pieces, holds, pixel));
    }
    for (const colour of dotted ? [] : new Set(traces.map((trace) => trace.colour))) {
      this.tint(ctx, this.opacities(pieces, traces.filter((trace) => trace.colour === colour)), colours[colour]);
    }
  }

  // Tint parts of the ribbon.
  /** @param {CanvasRenderingContext2D} ctx @param {Map<number, number[]>} opaque the parts by their opacity @param {string} colour */
  tint(ctx, opaque, colour) {
    const { canvas, ribbons } = this, { width, height, box: { left, top, right, bottom } } = ribbons;
    if (!opaque.size || left >= right) return;
    const pixels = new Uint8ClampedArray(ribbons.tinted(opaque, rgb(colour)).buffer);
    const [wide, high] = [right - left, bottom - top];
    Object.assign(canvas, { width: wide, height: high });
    canvas.getContext("2d")?.putImageData(new ImageData(pixels, width, height), -left, -top, left, top, wide, high);
    const picture = canvas.transferToImageBitmap();
    ctx.save();
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.drawImage(picture, left, top);
    ctx.restore();
    picture.close();
  }

  // A dot for each piece in which a condition holds, at the first agent of whom it does.
  /** @param {Pieces} pieces @param {Compiled} holds @param {number} pixel */
  dots({ agents, ends }, holds, pixel) {
    const { stage, context: c } = this, size = stage.formats.unit.size, out = (RIBBON / 2) * pixel, path = new Path2D();
    for (let piece = 0, i = 0; piece < ends.length; i = ends[piece++]) {
      for (; i < ends[piece]; i++) {
        const a = (c.unit = agents[i]);
        c.me.at = a * size;
        if (!holds(c)) continue;
        const x = stage.ax[a] + out * stage.ox[a], y = stage.ay[a] + out * stage.oy[a];
        path.moveTo(x + DOT * pixel, y);
        path.arc(x, y, DOT * pixel, 0, 2 * Math.PI);
        break;
      }
    }
    return path;
  }

  // The parts of the ribbon that have tints of one colour, by their opacity.
  /** @param {Pieces} pieces @param {Tint[]} tints */
  opacities({ agents, ends, next }, tints) {
    /** @type {Map<number, number[]>} */
    const found = new Map();
    for (let piece = 0, begin = 0, before = 0; piece < ends.length; begin = ends[piece++]) {
      const opacity = this.opacity(agents, begin, ends[piece], tints);
      const joined = opacity === before && next[piece - 1] === agents[begin]; // pieces that look the same are one line
      before = opacity;
      if (!opacity) continue;
      const same = found.get(opacity);
      if (same) same.push(...parts(piece, joined));
      else found.set(opacity, parts(piece, joined));
    }
    return found;
  }

  // How opaque tints are together, each by the share of a piece's agents that have it.
  /** @param {Int32Array} agents @param {number} begin @param {number} end @param {Tint[]} tints */
  opacity(agents, begin, end, tints) {
    const { context: c } = this, size = this.stage.formats.unit.size;
    let clear = 1;
    for (const { tint, holds } of tints) {
      let count = 0;
      for (let i = begin; i < end; i++) {
        c.unit = agents[i];
        c.me.at = agents[i] * size;
        if (holds(c)) count++;
      }
      const share = Math.ceil((SHARES * count) / (end - begin)) / SHARES;
      if (share) clear *= 1 - Math.min(1, 1.5 * (tint ?? 1) * share);
    }
    return 1 - clear;
  }

  // The pieces of boundaries that are visible. They change only when the view does.
  /** @param {Scene} scene */
  pieces(scene) {
    const { stage, agents, camera: { x, y, scale, ratio, width, height } } = scene;
    const view = [x, y, scale, ratio, width, height].join();
    if (view === this.view) return this.known;
    const visible = new Uint8Array(stage.agents), most = PIECE / scale;
    for (const a of agents) visible[a] = 1;
    /** @type {number[]} */
    const found = [], ends = [], after = [];
    for (const [first, length] of stage.boundaries) {
      let long = 0, begin = found.length;
      for (let a = first; a < first + length; a++) {
        const next = stage.succ[a];
        if (visible[a]) found.push(a);
        long += Math.hypot(stage.ax[next] - stage.ax[a], stage.ay[next] - stage.ay[a]);
        if (found.length === begin || (visible[a] && long < most && a < first + length - 1)) continue;
        ends.push(begin = found.length);
        after.push(next);
        long = 0;
      }
    }
    this.view = view;
    this.known = { agents: Int32Array.from(found), ends: Int32Array.from(ends), next: Int32Array.from(after) };
    this.ribbons = this.laid(scene);
    return this.known;
  }

  // The pieces as a ribbon just outside the boundaries, each up to the agent after it.
  /** @param {Scene} scene */
  laid({ ctx, pixel, camera }) {
    const { ax, ay, ox, oy, corner, pred } = this.stage, { agents, ends, next } = this.known;
    const { a: unit, e: left, f: top } = ctx.getTransform(), out = (RIBBON / 2) * pixel;
    /** @param {number} a @returns {import("./types").Point} */
    const place = (a) => [(ax[a] + out * ox[a]) * unit + left, (ay[a] + out * oy[a]) * unit + top];
    const lines = Array.from(ends, (end, piece) => {
      const [first, ...others] = agents.subarray(piece && ends[piece - 1], end);
      return [place(pred[first]), place(first), ...others.filter((a) => corner[a]).map(place), place(next[piece])];
    });
    return new Ribbons(ctx.canvas.width, ctx.canvas.height, RIBBON * camera.ratio, lines);
  }
}
