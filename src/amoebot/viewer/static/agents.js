// Boundary cycles with their directions, and the agents on them.

import { CANDIDATE } from "./moment.js";

// Pixels between neighbouring nodes from which on there are agents, and arrows between them.
const AGENTS = 13, ARROWS = 18;

export function boundaries({ ctx, stage, size, colours, agents: visible, pixel, camera }) {
  for (const outer of [false, true]) {
    ctx.strokeStyle = ctx.fillStyle = colours[outer ? "outer" : "inner"];
    ctx.lineWidth = Math.max(size.boundary, 1.3 * pixel);
    // From afar nobody sees the corners, and round ones take time.
    ctx.lineCap = "butt";
    ctx.lineJoin = camera.scale < ARROWS ? "bevel" : "round";
    ctx.stroke(cycles(stage, visible, outer));
    ctx.lineCap = ctx.lineJoin = "round";
    if (camera.scale < ARROWS) continue;
    ctx.beginPath();
    for (const a of visible) if ((stage.cycle[a] === 0) === outer) arrow(ctx, stage, a, size.arrow);
    ctx.fill();
  }
}

// Agents are numbered along their cycles: long lines are drawn quicker than many short ones.
function cycles(stage, visible, outer) {
  const path = new Path2D();
  const wanted = new Uint8Array(stage.agents);
  for (const a of visible) wanted[a] = 1;
  stage.boundaries.forEach(([first, length], number) => {
    if ((number === 0) !== outer) return;
    let joined = false;
    for (let a = first; a < first + length; a++) {
      if (!wanted[a]) { joined = false; continue; }
      if (!joined) path.moveTo(stage.ax[a], stage.ay[a]);
      path.lineTo(stage.ax[stage.succ[a]], stage.ay[stage.succ[a]]);
      joined = true;
    }
  });
  return path;
}

function arrow(ctx, stage, a, size) {
  const b = stage.succ[a];
  const dx = stage.ax[b] - stage.ax[a], dy = stage.ay[b] - stage.ay[a];
  const length = Math.hypot(dx, dy) || 1;
  const wx = (dx / length) * size, wy = (dy / length) * size;
  const x = stage.ax[a] + dx / 2, y = stage.ay[a] + dy / 2;
  ctx.moveTo(x + wx, y + wy);
  ctx.lineTo(x - 0.6 * wx - 0.75 * wy, y - 0.6 * wy + 0.75 * wx);
  ctx.lineTo(x - 0.6 * wx + 0.75 * wy, y - 0.6 * wy - 0.75 * wx);
  ctx.closePath();
}

// The kinds of agents: those that wait, candidates, withdrawn ones, and others on either boundary.
const WAITS = 0, COMPETES = 1, WITHDREW = 2, OUTER = 3, INNER = 4;

function kindOf(stage, moment, a) {
  const role = moment.role(a);
  if (role === 0) return WAITS;
  if (role === CANDIDATE) return COMPETES;
  if (moment.head(a)) return WITHDREW;
  return stage.cycle[a] === 0 ? OUTER : INNER;
}

export function agents(scene) {
  const { ctx, stage, moment, colours, agents: visible, camera, pixel } = scene;
  if (camera.scale < AGENTS) {
    ctx.fillStyle = colours.candidate;
    const side = 4 * pixel;
    for (const a of visible) {
      if (moment.isCandidate(a)) ctx.fillRect(stage.ax[a] - side / 2, stage.ay[a] - side / 2, side, side);
    }
    return;
  }
  // Each kind is drawn once and then copied, which is many times faster than arcs.
  const stamps = kinds(scene);
  for (const a of visible) {
    const { canvas, reach } = stamps[kindOf(stage, moment, a)];
    ctx.drawImage(canvas, stage.ax[a] - reach, stage.ay[a] - reach, 2 * reach, 2 * reach);
  }
}

function kinds({ size, colours, camera }) {
  const scale = camera.scale * (camera.ratio || 1);
  const stamp = (...looks) => makeStamp(scale, ...looks);
  return [
    stamp(size.agent_waiting, colours.waiting, null, 0),
    stamp(Math.max(size.agent, 4 / scale), colours.candidate, colours.paper, 0.03),
    stamp(size.agent, colours.paper, colours.candidate, 0.04),
    stamp(0.75 * size.agent, colours.paper, colours.outer, 0.035),
    stamp(0.75 * size.agent, colours.paper, colours.inner, 0.035),
  ];
}

function makeStamp(scale, radius, fill, edge, width) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.max(4, Math.ceil(2 * (radius + width) * scale) + 2);
  const reach = canvas.width / 2 / scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.beginPath();
  pen.arc(reach, reach, radius, 0, 2 * Math.PI);
  pen.fillStyle = fill;
  pen.fill();
  if (edge) {
    pen.strokeStyle = edge;
    pen.lineWidth = width;
    pen.stroke();
  }
  return { canvas, reach };
}
