// @ts-check
// The ground of the picture, the same for all elections: bonds, particles and boundary cycles.
//
// Neighbouring particles of a row that look the same are filled at once: from afar with a colour,
// from near with a pattern of discs. So a shape of 270,000 particles takes some hundred strokes.

import { pen } from "./dom.js";
import { nodeAt, ROW } from "./stage.js";

/** @typedef {import("./draw.js").Scene} Scene */
/** @typedef {import("./types").Stage} Stage */

// The most pixels of a disc in the pattern, and those between nodes from which on cycles have arrows.
const FINEST = 192, ARROWS = 18;

/** @param {Scene} scene */
export function bonds({ ctx, stage, colours, nodes }) {
  ctx.beginPath();
  for (const [first, last] of nodes.ranges) {
    for (let i = first; i < last; i++) {
      const x = stage.nodes[2 * i], y = stage.nodes[2 * i + 1];
      for (const [dx, dy] of [[1, 0], [0, 1], [-1, 1]]) {
        const other = nodeAt(stage, x + dx, y + dy);
        if (other < 0) continue;
        ctx.moveTo(stage.px[i], stage.py[i]);
        ctx.lineTo(stage.px[other], stage.py[other]);
      }
    }
  }
  ctx.strokeStyle = colours.bond;
  ctx.lineWidth = stage.sizes.bond;
  ctx.lineCap = "butt";
  ctx.stroke();
  ctx.lineCap = "round";
}

/** @param {Scene} scene @param {number} node */
function stateOf({ stage, moment, layers }, node) {
  return layers.has("termination") ? moment.stateOf(stage.particle_of_node[node]) : 0;
}

// Call back for each run of neighbours in a row that look the same.
/** @param {Scene} scene @param {boolean} withPairs @param {(begin: number, length: number, state: number) => void} found */
function runs(scene, withPairs, found) {
  const { stage, nodes } = scene;
  for (const [first, last] of nodes.ranges) {
    for (let i = first; i < last; ) {
      const begin = i, state = stateOf(scene, i);
      if (!withPairs && stage.partner[i] >= 0) { i++; continue; }
      do i++;
      while (i < last && stage.nodes[2 * i] === stage.nodes[2 * i - 2] + 1 && stateOf(scene, i) === state
        && (withPairs || stage.partner[i] < 0));
      found(begin, i - begin, state);
    }
  }
}

/** @param {Scene} scene */
export function tiles(scene) {
  const { ctx, stage, colours, pixel } = scene;
  const fills = [colours.particle_edge, colours.message, colours.terminated];
  const height = ROW + pixel * 0.6;
  runs(scene, true, (begin, length, state) => {
    ctx.fillStyle = fills[state];
    ctx.fillRect(stage.px[begin] - 0.5, stage.py[begin] - height / 2, length + pixel * 0.3, height);
  });
}

/** @param {Scene} scene */
export function discs(scene) {
  const { ctx, stage, camera, nodes, colours } = scene;
  const fills = [colours.particle, colours.message, colours.terminated];
  const edges = [colours.particle_edge, colours.terminated_edge, colours.terminated_edge];
  const patterns = fills.map((fill, state) => pattern(ctx, stage, camera.scale * camera.ratio, fill, edges[state]));
  runs(scene, false, (begin, length, state) => {
    const { tile, width, height } = patterns[state];
    const left = stage.px[begin] - 0.5, top = stage.py[begin] - ROW / 2;
    tile.setTransform(new DOMMatrix([1 / width, 0, 0, ROW / height, left, top]));
    ctx.fillStyle = tile;
    ctx.fillRect(left, top, length, ROW);
  });
  for (const [first, last] of nodes.ranges) {
    for (let i = first; i < last; i++) {
      const state = stateOf(scene, i);
      if (stage.partner[i] >= 0) pair(scene, i, stage.partner[i], fills[state], edges[state]);
    }
  }
}

// One disc in a cell as wide as the distance of neighbours and as high as a row.
/** @param {CanvasRenderingContext2D} ctx @param {Stage} stage @param {number} scale @param {string} fill @param {string} edge */
function pattern(ctx, { sizes }, scale, fill, edge) {
  const canvas = document.createElement("canvas");
  const width = (canvas.width = Math.min(FINEST, Math.max(4, Math.round(scale))));
  const height = (canvas.height = Math.max(4, Math.round(width * ROW)));
  const disc = pen(canvas);
  disc.scale(width, height / ROW);
  disc.beginPath();
  disc.arc(0.5, ROW / 2, sizes.particle, 0, 2 * Math.PI);
  disc.fillStyle = fill;
  disc.fill();
  disc.strokeStyle = edge;
  disc.lineWidth = Math.max(sizes.outline, 0.8 / scale);
  disc.stroke();
  return { tile: /** @type {CanvasPattern} */ (ctx.createPattern(canvas, "repeat")), width, height };
}

// An expanded particle, drawn once: from its first node, or from the one that is visible.
/** @param {Scene} scene @param {number} i @param {number} other @param {string} fill @param {string} edge */
function pair({ ctx, stage, nodes }, i, other, fill, edge) {
  const isVisible = nodes.ranges.some(([first, last]) => first <= other && other < last);
  if (other < i && isVisible) return;
  const { particle, outline } = stage.sizes;
  capsule(ctx, stage, [i, other], 2 * particle + outline, edge);
  capsule(ctx, stage, [i, other], 2 * particle - outline, fill);
}

/** @param {CanvasRenderingContext2D} ctx @param {Stage} stage @param {number[]} nodes @param {number} width @param {string} colour */
export function capsule(ctx, stage, nodes, width, colour) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.beginPath();
  ctx.moveTo(stage.px[nodes[0]], stage.py[nodes[0]]);
  // A line of no length would not be drawn at all.
  for (const node of nodes) ctx.lineTo(stage.px[node] + 1e-3, stage.py[node]);
  ctx.stroke();
}

/** @param {Scene} scene */
export function boundaries({ ctx, stage, colours, agents: visible, pixel, camera }) {
  for (const outer of [false, true]) {
    ctx.strokeStyle = ctx.fillStyle = colours[outer ? "outer" : "inner"];
    ctx.lineWidth = Math.max(stage.sizes.boundary, 1.3 * pixel);
    // From afar nobody sees the corners, and round ones take time.
    ctx.lineCap = "butt";
    ctx.lineJoin = camera.scale < ARROWS ? "bevel" : "round";
    ctx.stroke(cycles(stage, visible, outer));
    ctx.lineCap = ctx.lineJoin = "round";
    if (camera.scale < ARROWS) continue;
    ctx.beginPath();
    for (const a of visible) if ((stage.boundary[a] === 0) === outer) arrow(ctx, stage, a);
    ctx.fill();
  }
}

// Agents are numbered along their cycles: long lines are drawn quicker than many short ones.
/** @param {Stage} stage @param {number[]} visible @param {boolean} outer */
function cycles(stage, visible, outer) {
  const path = new Path2D();
  const wanted = new Uint8Array(stage.agents);
  for (const a of visible) wanted[a] = 1;
  stage.boundaries.forEach(([first, length], number) => {
    if ((number === 0) !== outer) return;
    let joined = false;
    for (let a = first; a < first + length; a++) {
      if (!wanted[a]) { joined = false; continue; }
      const next = stage.succ[a];
      if (!joined) path.moveTo(stage.ax[a], stage.ay[a]);
      if (stage.corner[next] || next === first || !wanted[next]) path.lineTo(stage.ax[next], stage.ay[next]);
      joined = true;
    }
  });
  return path;
}

/** @param {CanvasRenderingContext2D} ctx @param {Stage} stage @param {number} a */
function arrow(ctx, stage, a) {
  const b = stage.succ[a], size = stage.sizes.arrow;
  const dx = stage.ax[b] - stage.ax[a], dy = stage.ay[b] - stage.ay[a];
  const length = Math.hypot(dx, dy) || 1;
  const wx = (dx / length) * size, wy = (dy / length) * size;
  const x = stage.ax[a] + dx / 2, y = stage.ay[a] + dy / 2;
  ctx.moveTo(x + wx, y + wy);
  ctx.lineTo(x - 0.6 * wx - 0.75 * wy, y - 0.6 * wy + 0.75 * wx);
  ctx.lineTo(x - 0.6 * wx + 0.75 * wy, y - 0.6 * wy - 0.75 * wx);
  ctx.closePath();
}
