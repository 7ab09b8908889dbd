// The geometry of a run: what never changes. Its bytes are described in render/stage.py.

const KINDS = { i4: Int32Array, u1: Uint8Array };
const ROW = Math.sqrt(0.75);

export function decodeStage(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const stage = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let at = 4 + length;
  for (const [name, kind, count] of stage.arrays) {
    at = Math.ceil(at / 8) * 8;
    stage[name] = new KINDS[kind](buffer, at, count);
    at += stage[name].byteLength;
  }
  stage.count = stage.nodes.length / 2;
  placeNodes(stage);
  placeAgents(stage);
  return stage;
}

// Points are in units of the lattice, y downwards.
function placeNodes(stage) {
  const { nodes, count } = stage;
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
  stage.partner = new Int32Array(count).fill(-1);
  for (let i = 0; i < stage.expanded.length; i += 2) {
    stage.partner[stage.expanded[i]] = stage.expanded[i + 1];
    stage.partner[stage.expanded[i + 1]] = stage.expanded[i];
  }
}

function placeAgents(stage) {
  const { nodeOfAgent, facing, empty, look } = stage;
  const agents = nodeOfAgent.length;
  const out = look.sizes.agent_out;
  for (const name of ["ax", "ay", "ox", "oy"]) stage[name] = new Float32Array(agents);
  stage.cycle = new Int32Array(agents);
  stage.boundaries.forEach(([first, length], number) => {
    stage.cycle.fill(number, first, first + length);
  });
  stage.firstAgent = new Int32Array(stage.count + 1); // agents of node i: order[first[i]…first[i+1]]
  for (let a = 0; a < agents; a++) {
    const node = nodeOfAgent[a];
    const angle = ((facing[a] + (empty[a] + 1) / 2) * Math.PI) / 3;
    stage.ox[a] = Math.cos(angle);
    stage.oy[a] = Math.sin(angle);
    stage.ax[a] = stage.px[node] + out * stage.ox[a];
    stage.ay[a] = stage.py[node] + out * stage.oy[a];
    stage.firstAgent[node + 1]++;
  }
  for (let i = 0; i < stage.count; i++) stage.firstAgent[i + 1] += stage.firstAgent[i];
  const next = stage.firstAgent.slice();
  stage.agentOrder = new Int32Array(agents);
  for (let a = 0; a < agents; a++) stage.agentOrder[next[nodeOfAgent[a]]++] = a;
}

export function nodeAt(stage, x, y) {
  const row = stage.rows.get(y);
  if (!row) return -1;
  const found = lowerBound(stage.nodes, row[0], row[1], x);
  return found < row[1] && stage.nodes[2 * found] === x ? found : -1;
}

// The first node of a row, between two indices, whose x is not below the given one.
export function lowerBound(nodes, low, high, x) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (nodes[2 * middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The lattice node nearest to a point of the plane.
export function nearestNode(px, py) {
  const y = -py / ROW, x = px - y / 2, z = -x - y;
  let rx = Math.round(x), ry = Math.round(y), rz = Math.round(z);
  const dx = Math.abs(rx - x), dy = Math.abs(ry - y), dz = Math.abs(rz - z);
  if (dx > dy && dx > dz) rx = -ry - rz;
  else if (dy > dz) ry = -rx - rz;
  return [rx, ry];
}

export function nodesOfParticle(stage, particle) {
  const found = [];
  for (let i = 0; i < stage.count; i++) if (stage.particleOfNode[i] === particle) found.push(i);
  return found;
}

export function agentsOfNode(stage, node) {
  return stage.agentOrder.subarray(stage.firstAgent[node], stage.firstAgent[node + 1]);
}
