// The ground of the picture: bonds and particles.
//
// Neighbouring particles of a row that look the same are filled at once: from afar with a colour,
// from near with a pattern of discs. So a shape of 270,000 particles takes some hundred strokes.

import { nodeAt } from "./stage.js";

const ROW = Math.sqrt(0.75);
// The most pixels of a disc in the pattern.
const FINEST = 192;

export function bonds({ ctx, stage, size, colours, nodes }) {
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
  ctx.lineWidth = size.bond;
  ctx.lineCap = "butt";
  ctx.stroke();
  ctx.lineCap = "round";
}

// 0: nothing yet; 1: the termination message has arrived; 2: terminated.
function stateOf({ stage, moment, layers }, node) {
  return layers.has("termination") ? moment.particles[stage.particleOfNode[node]] || 0 : 0;
}

// Call back for each run of neighbours in a row that look the same.
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

export function tiles(scene) {
  const { ctx, stage, colours, pixel } = scene;
  const fills = [colours.particle_edge, colours.message, colours.terminated];
  const height = ROW + pixel * 0.6;
  runs(scene, true, (begin, length, state) => {
    ctx.fillStyle = fills[state];
    ctx.fillRect(stage.px[begin] - 0.5, stage.py[begin] - height / 2, length + pixel * 0.3, height);
  });
}

export function discs(scene) {
  const { ctx, stage, camera, nodes, size, colours } = scene;
  const fills = [colours.particle, colours.message, colours.terminated];
  const edges = [colours.particle_edge, colours.terminated_edge, colours.terminated_edge];
  const scale = camera.scale * (camera.ratio || 1);
  const patterns = fills.map((fill, state) => pattern(ctx, size, scale, fill, edges[state]));
  runs(scene, false, (begin, length, state) => {
    const { tile, width, height } = patterns[state];
    const left = stage.px[begin] - 0.5, top = stage.py[begin] - ROW / 2;
    tile.setTransform(new DOMMatrix([1 / width, 0, 0, ROW / height, left, top]));
    ctx.fillStyle = tile;
    ctx.fillRect(left, top, length, ROW);
  });
  for (const [first, last] of nodes.ranges) {
    for (let i = first; i < last; i++) {
      const other = stage.partner[i];
      if (other >= 0) pair(scene, i, other, fills, edges, stateOf(scene, i));
    }
  }
}

// One disc in a cell as wide as the distance of neighbours and as high as a row.
function pattern(ctx, size, scale, fill, edge) {
  const canvas = document.createElement("canvas");
  const width = (canvas.width = Math.min(FINEST, Math.max(4, Math.round(scale))));
  const height = (canvas.height = Math.max(4, Math.round(width * ROW)));
  const pen = canvas.getContext("2d");
  pen.scale(width, height / ROW);
  pen.beginPath();
  pen.arc(0.5, ROW / 2, size.particle, 0, 2 * Math.PI);
  pen.fillStyle = fill;
  pen.fill();
  pen.strokeStyle = edge;
  pen.lineWidth = Math.max(size.outline, 0.8 / scale);
  pen.stroke();
  return { tile: ctx.createPattern(canvas, "repeat"), width, height };
}

// An expanded particle, drawn once: from its first node, or from the one that is visible.
function pair({ ctx, stage, size, nodes }, i, other, fills, edges, state) {
  const isVisible = nodes.ranges.some(([first, last]) => first <= other && other < last);
  if (other < i && isVisible) return;
  for (const [colour, width] of [[edges[state], size.outline], [fills[state], -size.outline]]) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = 2 * size.particle + width;
    ctx.beginPath();
    ctx.moveTo(stage.px[i], stage.py[i]);
    ctx.lineTo(stage.px[other], stage.py[other]);
    ctx.stroke();
  }
}
