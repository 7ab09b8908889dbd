// @ts-check
// Draws a moment on a canvas: only what is visible, and from afar only what can be seen.
//
// ctx is scaled so that one unit is the distance between neighbouring nodes: sizes are the same as
// on paper. From far away, neighbouring particles of a row become one bar.

import { pen } from "./dom.js";
import { bonds, boundaries, capsule, discs, tiles } from "./ground.js";
import { corners } from "./marks.js";
import { lowerBound, nodesOfParticle, ROW } from "./stage.js";

/** @typedef {import("./types").Stage} Stage */
/** @typedef {import("./types").Layer} Layer */
/** @typedef {{ ranges: [first: number, last: number][], length: number }} Visible */
/**
 * @typedef {object} View
 * @property {Stage} stage
 * @property {import("./moment.js").Moment} moment
 * @property {import("./marks.js").Marks} marks
 * @property {import("./camera.js").Camera} camera
 * @property {Set<string>} layers
 * @property {import("./backdrop.js").Backdrop} backdrop
 * @property {import("./types").Colours} colours
 * @property {number} selected
 * @property {{ particle: number, agent: number }} pointed
 * @property {number} scheduled who is marked as next
 * @property {boolean} showLatest
 * @property {import("./motion.js").Motion} [motion] tokens that are on their way
 * @property {number[]} [lit] the particles that the light is on; with none, it is everywhere
 */
/** @typedef {View & { ctx: CanvasRenderingContext2D, pixel: number, nodes: Visible, units: number[], agents: number[] }} Scene */

// Pixels between neighbouring nodes from which on there are discs and bonds.
const DISCS = 9, BONDS = 14;

/** @type {Record<string, string>} the forms of faults */
export const FAULTS = { crash: "cross", corrupt: "bolt" };

/** @param {CanvasRenderingContext2D} ctx @param {string} paper */
export function clear(ctx, paper) {
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.fillStyle = paper;
  ctx.fillRect(0, 0, ctx.canvas.width, ctx.canvas.height);
}

/** @param {CanvasRenderingContext2D} ctx @param {import("./camera.js").Camera} camera */
export function lookThrough(ctx, { scale, ratio, width, height, x, y }) {
  const unit = scale * ratio;
  ctx.setTransform(unit, 0, 0, unit, (width / 2) * ratio - x * unit, (height / 2) * ratio - y * unit);
  ctx.lineCap = ctx.lineJoin = "round";
}

// Returns how many units are visible, which is what drawing takes its time for.
/** @param {CanvasRenderingContext2D} ctx @param {View} view */
export function draw(ctx, view) {
  const { stage, moment, camera, layers, marks } = view;
  const nodes = visibleNodes(stage, camera), units = visibleUnits(stage, nodes);
  const agents = stage.on_nodes ? [...stage.ax.keys()] : units;
  /** @type {Scene} */
  const scene = { ...view, ctx, pixel: 1 / camera.scale, nodes, units, agents };
  const leader = layers.has("leader") ? nodesOfParticle(stage, moment.leader) : [];
  const shown = stage.layers.filter(({ id }) => layers.has(id)), first = shown.findIndex(({ id }) => marks.hasMarks(id));
  const lower = shown.slice(0, first < 0 ? shown.length : first), upper = shown.slice(lower.length);
  view.backdrop.paint(ctx, dependencies(view, lower, leader), (under) => drawLower({ ...scene, ctx: under }, lower, leader));
  lookThrough(ctx, camera);
  drawLayers(scene, upper);
  marks.drawDots(scene);
  view.motion?.draw(scene);
  if (view.lit?.length) shade(scene, view.lit);
  if (leader.length) star(scene, leader);
  if (layers.has("faults")) for (const [kind, particle] of moment.faults) fault(scene, kind, particle);
  rings(scene);
  return units.length;
}

// The particles, and the layers up to the first one with marks, which change from round to round.
/** @param {Scene} scene @param {Layer[]} lower @param {number[]} leader */
function drawLower(scene, lower, leader) {
  const { ctx, stage, camera, layers, colours, nodes } = scene;
  clear(ctx, colours.paper);
  lookThrough(ctx, camera);
  if (layers.has("bonds") && camera.scale >= BONDS && nodes.length < 6000) bonds(scene);
  if (layers.has("particles")) (camera.scale < DISCS ? tiles : discs)(scene);
  if (leader.length) capsule(ctx, stage, leader, 2 * stage.sizes.particle + 0.1, colours.leader);
  drawLayers(scene, lower);
}

// All that these depend on.
/** @param {View} view @param {Layer[]} lower @param {number[]} leader */
function dependencies({ moment, marks, camera: { x, y, scale, ratio, width, height }, layers, colours }, lower, leader) {
  const ends = layers.has("termination") ? moment.particlesVersion : -1, starts = lower.flatMap(({ id }) => marks.starts(moment, id));
  return [moment, colours, x, y, scale, ratio, width, height, ends, ...layers, ...leader, ...starts];
}

/** @param {Scene} scene @param {Layer[]} layers */
function drawLayers(scene, layers) {
  for (const { id } of layers) {
    if (id === "boundaries") boundaries(scene);
    else scene.marks.draw(scene, id);
  }
}

/** @param {Stage} stage @param {import("./camera.js").Camera} camera @returns {Visible} */
function visibleNodes(stage, camera) {
  const [left, top] = camera.plane(0, 0), [right, bottom] = camera.plane(camera.width, camera.height);
  /** @type {[number, number][]} */
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

/** @param {Stage} stage @param {Visible} nodes */
function visibleUnits(stage, nodes) {
  const found = [];
  for (const [first, last] of nodes.ranges) {
    for (let i = stage.first_unit[first]; i < stage.first_unit[last]; i++) found.push(stage.unit_order[i]);
  }
  return found;
}

// The star of the leader can be seen from any distance.
/** @param {Scene} scene @param {number[]} nodes */
function star({ ctx, stage, colours, pixel }, nodes) {
  const x = nodes.reduce((sum, node) => sum + stage.px[node], 0) / nodes.length;
  const y = nodes.reduce((sum, node) => sum + stage.py[node], 0) / nodes.length;
  const far = stage.sizes.leader < 13 * pixel;
  ctx.beginPath();
  corners(ctx, stage.forms.star, x, y, far ? 13 * pixel : stage.sizes.leader);
  ctx.fillStyle = far ? colours.leader : colours.on_leader;
  ctx.fill();
  if (!far) return;
  ctx.strokeStyle = colours.ink;
  ctx.lineWidth = 1.2 * pixel;
  ctx.stroke();
}

// A cross on who has crashed, a bolt on whose memory was corrupted: seen from any distance, too.
/** @param {Scene} scene @param {string} kind @param {number} particle */
function fault({ ctx, stage, colours, pixel }, kind, particle) {
  for (const node of nodesOfParticle(stage, particle)) {
    ctx.beginPath();
    corners(ctx, stage.forms[FAULTS[kind]], stage.px[node], stage.py[node], Math.max(stage.sizes.leader, 9 * pixel));
    ctx.strokeStyle = colours.paper;
    ctx.lineWidth = 2 * pixel;
    ctx.stroke();
    ctx.fillStyle = colours.fault;
    ctx.fill();
  }
}

// How much of what is not in the light is covered, and how far the light reaches around a particle.
const SHADE = 0.62, LIGHT = 1.05;

// Cover all but some particles with the colour of the paper.
/** @param {Scene} scene @param {number[]} lit */
function shade({ ctx, stage, colours, camera, motion }, lit) {
  const veil = document.createElement("canvas"), { width, height } = ctx.canvas;
  [veil.width, veil.height] = [width, height];
  const over = pen(veil);
  clear(over, colours.paper);
  lookThrough(over, camera);
  over.globalCompositeOperation = "destination-out";
  const places = lit.flatMap((particle) => nodesOfParticle(stage, particle).map((node) => [stage.px[node], stage.py[node]]));
  for (const [x, y] of [...places, ...(motion?.places(new Set(lit)) ?? [])]) {
    const fade = over.createRadialGradient(x, y, 0.72 * LIGHT, x, y, LIGHT);
    fade.addColorStop(0, "#000f");
    fade.addColorStop(1, "#0000");
    over.fillStyle = fade;
    over.fillRect(x - LIGHT, y - LIGHT, 2 * LIGHT, 2 * LIGHT);
  }
  ctx.save();
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.globalAlpha = SHADE;
  ctx.drawImage(veil, 0, 0);
  ctx.restore();
}

// Rings around the selected particle and the one that was activated last.
/** @param {Scene} scene */
function rings({ ctx, stage, colours, pixel, selected, pointed, moment, scheduled, showLatest }) {
  /** @param {number} particle @param {string} colour @param {number} width @param {number[]} dash */
  const around = (particle, colour, width, dash) => {
    ctx.setLineDash(dash.map((length) => length * pixel));
    ctx.strokeStyle = colour;
    ctx.lineWidth = width * pixel;
    for (const node of nodesOfParticle(stage, particle)) {
      ctx.beginPath();
      ctx.arc(stage.px[node], stage.py[node], stage.sizes.particle + 0.09 + pixel, 0, 2 * Math.PI);
      ctx.stroke();
    }
    ctx.setLineDash([]);
  };
  if (showLatest && moment.position) around(moment.latest, colours.muted, 2, [3, 4]);
  around(scheduled, colours.outer, 3, []);
  around(selected, colours.ink, 2.5, []);
  around(pointed.particle, colours.ink, 1.5, [2, 2]);
  if (pointed.agent < 0) return;
  ctx.fillStyle = colours.ink; // of a particle with several agents, this one
  ctx.beginPath();
  ctx.arc(stage.ax[pointed.agent], stage.ay[pointed.agent], Math.max(0.12, 4 * pixel), 0, 2 * Math.PI);
  ctx.fill();
}
