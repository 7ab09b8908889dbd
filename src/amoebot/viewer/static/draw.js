// Draws a moment on a canvas: only what is visible, and from afar only what can be seen.
//
// ctx is scaled so that one unit is the distance between neighbouring nodes: all sizes come from
// look.json, as on paper. From far away, neighbouring particles of a row become one bar.

import { agents, boundaries } from "./agents.js";
import { bonds, discs, tiles } from "./ground.js";
import { lowerBound } from "./stage.js";
import { drawTokens, number, star } from "./tokens.js";

const ROW = Math.sqrt(0.75);
// Pixels between neighbouring nodes from which on there are discs, bonds, bands, tokens and digits.
const DISCS = 9, BONDS = 14, BANDS = 8, TOKENS = 20, DIGITS = 30;

// Returns how many agents are visible, which is what drawing takes its time for.
export function draw(ctx, view) {
  const { stage, moment, camera, layers, colours } = view;
  const ratio = camera.ratio || 1;
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.fillStyle = colours.paper;
  ctx.fillRect(0, 0, ctx.canvas.width, ctx.canvas.height);
  if (!stage) return 0;
  const scale = camera.scale * ratio;
  ctx.setTransform(scale, 0, 0, scale,
    (camera.width / 2) * ratio - camera.x * scale, (camera.height / 2) * ratio - camera.y * scale);
  ctx.lineCap = ctx.lineJoin = "round";
  const scene = { ...view, ctx, size: stage.look.sizes, pixel: 1 / camera.scale };
  scene.nodes = visibleNodes(stage, camera);
  scene.agents = visibleAgents(stage, scene.nodes);
  if (layers.has("bonds") && camera.scale >= BONDS && scene.nodes.length < 6000) bonds(scene);
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
  return scene.agents.length;
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

// A band over the agents from each start up to the next one, in alternating colours.
function bands(scene, isStart, name) {
  const { ctx, stage, size, colours, camera } = scene;
  if (camera.scale < BANDS) return;
  const [left, top] = camera.plane(0, 0), [right, bottom] = camera.plane(camera.width, camera.height);
  const isVisible = (a) => stage.ax[a] > left - 1 && stage.ax[a] < right + 1 && stage.ay[a] > top - 1 && stage.ay[a] < bottom + 1;
  const paths = [new Path2D(), new Path2D()];
  for (const [first, length] of stage.boundaries) {
    const starts = [];
    for (let a = first; a < first + length; a++) if (isStart(a)) starts.push(a - first);
    starts.forEach((begin, which) => {
      const end = which + 1 < starts.length ? starts[which + 1] : starts[0] + length;
      const odd = which % 2 === 1 || (which > 0 && which === starts.length - 1);
      const path = paths[odd ? 1 : 0];
      let joined = false; // what is outside the window is left out
      for (let i = begin; i < end; i++) {
        const a = first + (i % length);
        if (!isVisible(a)) { joined = false; continue; }
        if (!joined) path.moveTo(stage.ax[a], stage.ay[a]);
        path.lineTo(stage.ax[a] + 1e-3, stage.ay[a]); // not of no length: that is not drawn
        joined = true;
      }
    });
  }
  ctx.lineWidth = size[name];
  paths.forEach((path, i) => {
    ctx.strokeStyle = colours[`${name}_${"ab"[i]}`];
    ctx.stroke(path);
  });
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
