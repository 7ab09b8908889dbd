// Draws a moment on a canvas: only what is visible, and from afar only what can be seen.
//
// ctx is scaled so that one unit is the distance between neighbouring nodes: all sizes come from
// look.json, as on paper. From far away, neighbouring particles of a row become one bar.

import { CANDIDATE } from "./moment.js";
import { lowerBound, nodeAt } from "./stage.js";
import { drawTokens, number, star } from "./tokens.js";

const ROW = Math.sqrt(0.75);
// Pixels between neighbouring nodes from which on there are discs, agents, tokens and digits.
export const DISCS = 9, AGENTS = 13, TOKENS = 17, DIGITS = 30;

export function draw(ctx, view) {
  const { stage, moment, camera, layers, colours } = view;
  const ratio = camera.ratio || 1;
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.fillStyle = colours.paper;
  ctx.fillRect(0, 0, ctx.canvas.width, ctx.canvas.height);
  if (!stage) return;
  const scale = camera.scale * ratio;
  ctx.setTransform(scale, 0, 0, scale,
    (camera.width / 2) * ratio - camera.x * scale, (camera.height / 2) * ratio - camera.y * scale);
  ctx.lineCap = ctx.lineJoin = "round";
  const scene = { ...view, ctx, size: stage.look.sizes, pixel: 1 / camera.scale };
  scene.nodes = visibleNodes(stage, camera);
  scene.agents = visibleAgents(stage, scene.nodes);
  if (layers.has("bonds") && camera.scale >= DISCS + 4 && scene.nodes.length < 6000) bonds(scene);
  if (layers.has("particles")) (camera.scale < DISCS ? tiles : discs)(scene);
  if (layers.has("leader") && moment.leader >= 0) halo(scene);
  if (layers.has("extended")) bands(scene, (a) => moment.isCandidate(a), "extended");
  if (layers.has("segments")) bands(scene, (a) => moment.head(a), "segment");
  if (layers.has("boundaries")) boundaries(scene);
  if (layers.has("agents")) agents(scene);
  if (camera.scale >= TOKENS) drawTokens(scene);
  if (camera.scale >= DIGITS) digits(scene);
  if (layers.has("leader") && moment.leader >= 0) leader(scene);
  rings(scene);
}

function visibleNodes(stage, camera) {
  const [left, top] = camera.plane(0, 0), [right, bottom] = camera.plane(camera.width, camera.height);
  const ranges = [];
  const low = Math.max(Math.floor(-bottom / ROW) - 1, Math.floor(-stage.box.bottom / ROW) - 1);
  const high = Math.min(Math.ceil(-top / ROW) + 1, Math.ceil(-stage.box.top / ROW) + 1);
  let length = 0;
  for (let y = low; y <= high; y++) {
    const row = stage.rows.get(y);
    if (!row) continue;
    const first = lowerBound(stage.nodes, row[0], row[1], Math.floor(left - y / 2) - 1);
    const last = lowerBound(stage.nodes, first, row[1], Math.ceil(right - y / 2) + 2);
    if (last > first) ranges.push([first, last]);
    length += last - first;
  }
  return { ranges, length };
}

function visibleAgents(stage, nodes) {
  const found = [];
  for (const [first, last] of nodes.ranges) {
    for (let i = stage.firstAgent[first]; i < stage.firstAgent[last]; i++) found.push(stage.agentOrder[i]);
  }
  return found;
}

function bonds({ ctx, stage, size, colours, nodes }) {
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
  ctx.stroke();
}

// 0: nothing yet; 1: the termination message has arrived; 2: terminated.
function stateOf({ stage, moment, layers }, node) {
  return layers.has("termination") ? moment.particles[stage.particleOfNode[node]] || 0 : 0;
}

function tiles(scene) {
  const { ctx, stage, colours, nodes } = scene;
  const fills = [colours.particle_edge, colours.message, colours.terminated];
  const height = ROW + scene.pixel * 0.6;
  for (const [first, last] of nodes.ranges) {
    for (let i = first; i < last; ) {
      const begin = i, state = stateOf(scene, i);
      do i++;
      while (i < last && stage.nodes[2 * i] === stage.nodes[2 * i - 2] + 1 && stateOf(scene, i) === state);
      ctx.fillStyle = fills[state];
      ctx.fillRect(stage.px[begin] - 0.5, stage.py[begin] - height / 2, i - begin + scene.pixel * 0.3, height);
    }
  }
}

// Discs are drawn once for each state and then copied, which is many times faster than arcs.
function discs(scene) {
  const { ctx, stage, camera, nodes, size, colours } = scene;
  const fills = [colours.particle, colours.message, colours.terminated];
  const edges = [colours.particle_edge, colours.terminated_edge, colours.terminated_edge];
  const scale = camera.scale * (camera.ratio || 1);
  const reach = size.particle + size.outline + 2 / scale;
  const stamps = fills.map((fill, state) => stamp(reach * scale, size, scale, fill, edges[state]));
  for (const [first, last] of nodes.ranges) {
    for (let i = first; i < last; i++) {
      const other = stage.partner[i];
      const state = stateOf(scene, i);
      if (other < 0) {
        ctx.drawImage(stamps[state], stage.px[i] - reach, stage.py[i] - reach, 2 * reach, 2 * reach);
      } else if (i < other || !inRanges(nodes.ranges, other)) {
        for (const [colour, width] of [[edges[state], size.outline], [fills[state], -size.outline]]) {
          ctx.strokeStyle = colour;
          ctx.lineWidth = 2 * size.particle + width;
          ctx.beginPath();
          ctx.moveTo(stage.px[i], stage.py[i]);
          ctx.lineTo(stage.px[other], stage.py[other]);
          ctx.stroke();
        }
      }
    }
  }
}

function inRanges(ranges, node) {
  return ranges.some(([first, last]) => first <= node && node < last);
}

function stamp(reach, size, scale, fill, edge) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.max(2, Math.ceil(2 * reach));
  const ctx = canvas.getContext("2d");
  ctx.scale(canvas.width / (2 * reach), canvas.width / (2 * reach));
  ctx.beginPath();
  ctx.arc(reach, reach, size.particle * scale, 0, 2 * Math.PI);
  ctx.fillStyle = fill;
  ctx.fill();
  ctx.strokeStyle = edge;
  ctx.lineWidth = Math.max(size.outline * scale, 0.8);
  ctx.stroke();
  return canvas;
}

// A band over the agents from each start up to the next one, in alternating colours.
function bands(scene, isStart, name) {
  const { ctx, stage, size, colours, camera } = scene;
  if (camera.scale < 3) return;
  const paths = [new Path2D(), new Path2D()];
  for (const [first, length] of stage.boundaries) {
    const starts = [];
    for (let a = first; a < first + length; a++) if (isStart(a)) starts.push(a - first);
    starts.forEach((begin, which) => {
      const end = which + 1 < starts.length ? starts[which + 1] : starts[0] + length;
      const odd = which % 2 === 1 || (which > 0 && which === starts.length - 1);
      const path = paths[odd ? 1 : 0];
      for (let i = begin; i < end; i++) {
        const a = first + (i % length);
        if (i === begin) path.moveTo(stage.ax[a], stage.ay[a]);
        path.lineTo(stage.ax[a] + 1e-3, stage.ay[a]); // not of no length: that is not drawn
      }
    });
  }
  ctx.lineWidth = size[name];
  paths.forEach((path, i) => {
    ctx.strokeStyle = colours[`${name}_${"ab"[i]}`];
    ctx.stroke(path);
  });
}

function boundaries({ ctx, stage, size, colours, agents: visible, pixel, camera }) {
  for (const outer of [false, true]) {
    ctx.strokeStyle = ctx.fillStyle = colours[outer ? "outer" : "inner"];
    ctx.lineWidth = Math.max(size.boundary, 1.3 * pixel);
    ctx.beginPath();
    for (const a of visible) {
      if ((stage.cycle[a] === 0) !== outer) continue;
      const b = stage.succ[a];
      ctx.moveTo(stage.ax[a], stage.ay[a]);
      ctx.lineTo(stage.ax[b], stage.ay[b]);
    }
    ctx.stroke();
    if (camera.scale < AGENTS) continue;
    ctx.beginPath();
    for (const a of visible) if ((stage.cycle[a] === 0) === outer) arrow(ctx, stage, a, size.arrow);
    ctx.fill();
  }
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

function agents(scene) {
  const { ctx, stage, moment, size, colours, agents: visible, camera, pixel } = scene;
  const near = camera.scale >= AGENTS;
  for (const a of visible) {
    const role = moment.role(a), candidate = role === CANDIDATE;
    if (!near && !candidate) continue;
    let radius = candidate || moment.head(a) ? size.agent : 0.75 * size.agent;
    if (role === 0) radius = size.agent_waiting;
    ctx.beginPath();
    ctx.arc(stage.ax[a], stage.ay[a], near ? radius : Math.max(radius, 2.2 * pixel), 0, 2 * Math.PI);
    ctx.fillStyle = role === 0 ? colours.waiting : candidate ? colours.candidate : colours.paper;
    ctx.fill();
    if (role === 0 || !near) continue;
    const withdrawn = !candidate && moment.head(a);
    const own = colours[stage.cycle[a] === 0 ? "outer" : "inner"];
    ctx.strokeStyle = candidate ? colours.paper : withdrawn ? colours.candidate : own;
    ctx.lineWidth = candidate ? 0.03 : withdrawn ? 0.04 : 0.035;
    ctx.stroke();
  }
}

function digits({ ctx, stage, moment, layers, size, colours, agents: visible }) {
  const has = moment.drawn();
  for (const a of visible) {
    if (layers.has("digits") && layers.has("agents") && has[a]) {
      const fill = moment.isCandidate(a) ? colours.on_colour : colours.ink;
      number(ctx, stage.ax[a], stage.ay[a], moment.digit(a), 0.19, fill);
    }
    if (layers.has("reversed") && moment.marked(a)) {
      const node = stage.nodeOfAgent[a];
      const x = stage.px[node] + size.reversed_out * stage.ox[a];
      const y = stage.py[node] + size.reversed_out * stage.oy[a];
      number(ctx, x, y, moment.reversedDigit(a), 0.15, colours.muted);
    }
  }
}

function leaderNodes({ stage, moment }) {
  if (stage.leaderOf !== moment.leader) {
    stage.leaderOf = moment.leader;
    stage.leaderNodes = [];
    for (let i = 0; i < stage.count; i++) {
      if (stage.particleOfNode[i] === moment.leader) stage.leaderNodes.push(i);
    }
  }
  return stage.leaderNodes;
}

function capsule({ ctx, stage }, nodes, width, colour) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.beginPath();
  ctx.moveTo(stage.px[nodes[0]], stage.py[nodes[0]]);
  // A line of no length would not be drawn at all.
  for (const node of nodes) ctx.lineTo(stage.px[node] + 1e-3, stage.py[node]);
  ctx.stroke();
}

function halo(scene) {
  capsule(scene, leaderNodes(scene), 2 * scene.size.particle + 0.1, scene.colours.leader);
}

// The star of the leader can be seen from any distance.
function leader(scene) {
  const { ctx, stage, size, colours, pixel } = scene;
  const nodes = leaderNodes(scene);
  const x = nodes.reduce((sum, node) => sum + stage.px[node], 0) / nodes.length;
  const y = nodes.reduce((sum, node) => sum + stage.py[node], 0) / nodes.length;
  const far = size.leader < 13 * pixel;
  star(ctx, x, y, far ? 13 * pixel : size.leader);
  ctx.fillStyle = far ? colours.leader : colours.paper;
  ctx.fill();
  if (!far) return;
  ctx.strokeStyle = colours.ink;
  ctx.lineWidth = 1.2 * pixel;
  ctx.stroke();
}

// Rings around the selected particle and the one that had the last turn.
function rings(scene) {
  const { ctx, stage, colours, size, pixel, selected, moment, showLatest } = scene;
  const around = (particle, colour, width, dash) => {
    if (particle < 0) return;
    ctx.setLineDash(dash.map((length) => length * pixel));
    for (let i = 0; i < stage.count; i++) {
      if (stage.particleOfNode[i] !== particle) continue;
      ctx.beginPath();
      ctx.arc(stage.px[i], stage.py[i], size.particle + 0.09 + pixel, 0, 2 * Math.PI);
      ctx.strokeStyle = colour;
      ctx.lineWidth = width * pixel;
      ctx.stroke();
    }
    ctx.setLineDash([]);
  };
  if (showLatest && moment.position) around(moment.latest, colours.muted, 2, [3, 4]);
  around(selected ?? -1, colours.ink, 2.5, []);
}
