// @ts-check
// What never changes about a run. Its bytes are described in render/stage.py.

import { Format } from "./record.js";

/** @typedef {import("./types").Stage} Stage */

export const ROW = Math.sqrt(0.75);
/** @type {Record<string, any>} */
const KINDS = { i4: Int32Array, u1: Uint8Array };

/** @param {ArrayBuffer} buffer @returns {Stage} */
export function decodeStage(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const stage = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let at = 4 + length;
  for (const [name, kind, count] of stage.arrays) {
    at = Math.ceil(at / 8) * 8;
    stage[name] = new KINDS[kind](buffer, at, count);
    at += stage[name].byteLength;
  }
  for (const name of Object.keys(stage.formats)) stage.formats[name] = new Format(stage.formats[name]);
  placeNodes(stage);
  placeAgents(stage);
  if (stage.on_nodes) placeUnitsOnNodes(stage);
  orderUnits(stage);
  return stage;
}

// Points are in units of the lattice, y downwards.
/** @param {Stage} stage */
function placeNodes(stage) {
  const { nodes } = stage, count = (stage.count = nodes.length / 2);
  stage.px = new Float32Array(count);
  stage.py = new Float32Array(count);
  let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
  stage.rows = new Map(); // y of a row: [index of its first node, index after its last]
  for (let i = 0; i < count; i++) {
    const x = nodes[2 * i], y = nodes[2 * i + 1];
    const px = (stage.px[i] = x + y / 2), py = (stage.py[i] = -y * ROW);
    left = Math.min(left, px); right = Math.max(right, px);
    top = Math.min(top, py); bottom = Math.max(bottom, py);
    const row = stage.rows.get(y);
    if (row) row[1] = i + 1;
    else stage.rows.set(y, [i, i + 1]);
  }
  stage.box = { left, right, top, bottom };
  stage.node_of_particle = new Int32Array(stage.particles).fill(-1);
  for (let i = count - 1; i >= 0; i--) stage.node_of_particle[stage.particle_of_node[i]] = i;
  stage.partner = new Int32Array(count).fill(-1);
  for (let i = 0; i < stage.expanded.length; i += 2) {
    stage.partner[stage.expanded[i]] = stage.expanded[i + 1];
    stage.partner[stage.expanded[i + 1]] = stage.expanded[i];
  }
}

/** @param {Stage} stage */
function placeAgents(stage) {
  const { node_of_agent: nodes, facing, empty } = stage;
  const agents = (stage.agents = stage.units = nodes.length), out = stage.sizes.agent_out;
  stage.node_of_unit = nodes;
  stage.ox = new Float32Array(agents);
  stage.oy = new Float32Array(agents);
  stage.ax = new Float32Array(agents);
  stage.ay = new Float32Array(agents);
  stage.boundary = new Int32Array(agents);
  stage.boundaries.forEach(([first, length], number) => stage.boundary.fill(number, first, first + length));
  for (let a = 0; a < agents; a++) {
    const angle = ((facing[a] + (empty[a] + 1) / 2) * Math.PI) / 3;
    stage.ox[a] = Math.cos(angle);
    stage.oy[a] = Math.sin(angle);
    stage.ax[a] = stage.px[nodes[a]] + out * stage.ox[a];
    stage.ay[a] = stage.py[nodes[a]] + out * stage.oy[a];
  }
  stage.corner = Uint8Array.from(nodes, (_, a) => Number(isCorner(stage, a)));
}

// Whether a boundary bends at an agent, rather than going straight on.
/** @param {Stage} stage @param {number} a */
function isCorner({ ax, ay, ox, oy, pred, succ }, a) {
  const [before, after] = [pred[a], succ[a]], least = 1e-3;
  return Math.abs(ax[before] + ax[after] - 2 * ax[a]) > least || Math.abs(ay[before] + ay[after] - 2 * ay[a]) > least
    || [before, after].some((other) => Math.abs(ox[other] - ox[a]) + Math.abs(oy[other] - oy[a]) > least);
}

/** @param {Stage} stage */
function placeUnitsOnNodes(stage) {
  stage.units = stage.count;
  stage.node_of_unit = Int32Array.from(stage.px.keys());
  stage.ox = new Float32Array(stage.count);
  stage.oy = new Float32Array(stage.count).fill(-1);
}

/** @param {Stage} stage */
function orderUnits(stage) {
  const first = (stage.first_unit = new Int32Array(stage.count + 1));
  for (const node of stage.node_of_unit) first[node + 1]++;
  for (let i = 0; i < stage.count; i++) first[i + 1] += first[i];
  const next = first.slice();
  stage.unit_order = new Int32Array(stage.units);
  stage.node_of_unit.forEach((node, unit) => { stage.unit_order[next[node]++] = unit; });
}

// The same agents along a straight line, one unit apart: what is outward points up.
/** @param {Stage} stage @returns {Stage} */
export function straightened(stage) {
  const { agents } = stage, places = Int32Array.from({ length: agents }, (_, i) => i);
  const zero = new Float32Array(agents), ax = Float32Array.from(places);
  return {
    ...stage, node_of_unit: places, px: ax, py: zero, ox: zero, oy: new Float32Array(agents).fill(-1),
    ax, ay: new Float32Array(agents).fill(-stage.sizes.agent_out), corner: new Uint8Array(agents).fill(1),
  };
}

/** @param {Stage} stage @param {number} x @param {number} y */
export function nodeAt(stage, x, y) {
  const row = stage.rows.get(y);
  if (!row) return -1;
  const found = lowerBound(stage.nodes, row[0], row[1], x);
  return found < row[1] && stage.nodes[2 * found] === x ? found : -1;
}

// The first node of a row, between two indices, whose x is not below the given one.
/** @param {Int32Array} nodes @param {number} low @param {number} high @param {number} x */
export function lowerBound(nodes, low, high, x) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (nodes[2 * middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The lattice node nearest to a point of the plane.
/** @param {number} px @param {number} py @returns {import("./types").Point} */
export function nearestNode(px, py) {
  const y = -py / ROW, x = px - y / 2, z = -x - y;
  let rx = Math.round(x), ry = Math.round(y);
  const rz = Math.round(z);
  const dx = Math.abs(rx - x), dy = Math.abs(ry - y), dz = Math.abs(rz - z);
  if (dx > dy && dx > dz) rx = -ry - rz;
  else if (dy > dz) ry = -rx - rz;
  return [rx, ry];
}

/** @param {Stage} stage @param {number} particle */
export function nodesOfParticle(stage, particle) {
  const node = stage.node_of_particle[particle] ?? -1;
  if (node < 0) return [];
  return stage.partner[node] >= 0 ? [node, stage.partner[node]] : [node];
}

/** @param {Stage} stage @param {number} node */
export function unitsOfNode(stage, node) {
  return [...stage.unit_order.subarray(stage.first_unit[node], stage.first_unit[node + 1])];
}
