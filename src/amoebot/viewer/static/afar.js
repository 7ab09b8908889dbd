// @ts-check
// What is seen of a boundary from afar, where agents are smaller than marks would have to be. Agents close
// to each other on the screen form a piece of a ribbon, tinted by how many of them hold what; candidates
// and single tokens are dots of a size that can be seen. render/afar.py draws the same on paper.

import { compile, context } from "./expressions.js";

/** @typedef {import("./types").Stage} Stage */
/** @typedef {import("./draw.js").Scene} Scene */

// In pixels: the length of a piece, the width of the ribbon, the radius of a dot.
const PIECE = 3, RIBBON = 6.5, DOT = 4;

export class Afar {
  /** @param {Stage} stage */
  constructor(stage) {
    this.stage = stage;
    this.context = context(stage);
    this.traces = stage.traces.map((trace) => ({ ...trace, holds: compile(trace.when, stage.formats.unit) }));
  }

  // The tints of a layer, or its dots, which are drawn above all tints.
  /** @param {Scene} scene @param {string} layer @param {boolean} dotted */
  draw(scene, layer, dotted) {
    const { stage, ctx, moment, colours, pixel } = scene, { context: c } = this, size = stage.formats.unit.size;
    const out = (RIBBON / 2) * pixel;
    ctx.lineCap = "butt";
    ctx.lineJoin = "bevel";
    ctx.lineWidth = RIBBON * pixel;
    c.me.bytes = moment.units;
    for (const { colour, tint, holds } of this.traces.filter((trace) => trace.layer === layer && (trace.tint === null) === dotted)) {
      /** @type {Map<number, Path2D>} by how many in sixteen */
      const paths = new Map(), dots = new Path2D();
      /** @type {{ path: Path2D | null, end: number }} */
      const line = { path: null, end: -1 };
      const x = (/** @type {number} */ a) => stage.ax[a] + out * stage.ox[a], y = (/** @type {number} */ a) => stage.ay[a] + out * stage.oy[a];
      const end = (/** @type {number[]} */ piece, /** @type {number} */ next) => {
        let count = 0, first = -1;
        for (const a of piece) {
          c.unit = a;
          c.me.at = a * size;
          if (holds(c)) { count++; if (first < 0) first = a; }
        }
        if (!count) return;
        if (tint === null) {
          dots.moveTo(x(first) + DOT * pixel, y(first));
          dots.arc(x(first), y(first), DOT * pixel, 0, 2 * Math.PI);
          return;
        }
        const share = Math.ceil((16 * count) / piece.length);
        let path = paths.get(share);
        if (!path) paths.set(share, (path = new Path2D()));
        // Pieces that follow each other and look the same are one line, with a point at each corner.
        if (line.path !== path || line.end !== piece[0]) {
          line.path?.lineTo(x(line.end), y(line.end));
          path.moveTo(x(piece[0]), y(piece[0]));
        }
        for (const a of piece) if (stage.corner[a]) path.lineTo(x(a), y(a));
        [line.path, line.end] = [path, next];
      };
      this.pieces(scene, end);
      line.path?.lineTo(x(line.end), y(line.end));
      for (const [share, path] of paths) {
        ctx.globalAlpha = Math.min(1, (1.5 * (tint ?? 1) * share) / 16);
        ctx.strokeStyle = colours[colour].slice(0, 7);
        ctx.stroke(path);
      }
      ctx.globalAlpha = 1;
      ctx.fillStyle = colours[colour];
      ctx.fill(dots);
    }
    ctx.lineCap = ctx.lineJoin = "round";
  }

  // Call back for each piece of a boundary that is visible, with the agent after it.
  /** @param {Scene} scene @param {(piece: number[], next: number) => void} found */
  pieces({ stage, agents, camera }, found) {
    const visible = new Uint8Array(stage.agents), most = PIECE / camera.scale;
    for (const a of agents) visible[a] = 1;
    for (const [first, length] of stage.boundaries) {
      /** @type {number[]} */
      let piece = [];
      let long = 0;
      for (let a = first; a < first + length; a++) {
        const next = stage.succ[a];
        if (visible[a]) piece.push(a);
        long += Math.hypot(stage.ax[next] - stage.ax[a], stage.ay[next] - stage.ay[a]);
        if (!piece.length || (visible[a] && long < most && a < first + length - 1)) continue;
        found(piece, next);
        piece = [];
        long = 0;
      }
    }
  }
}
