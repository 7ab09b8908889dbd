// @ts-check
// A run and its moments as bytes, as render/stage.py and render/frames.py describe them: what the page
// gets from a server, it gets from here where there is none.

import { compile } from "./expressions.js";
import { Format } from "./record.js";

/** @typedef {import("./simulation.js").Simulation} Simulation */
/** @typedef {import("./engine.js").Handle} Handle */
/** @typedef {import("./types").OpenRun} OpenRun */

export class Encoder {
  /** @param {Simulation} simulation */
  constructor(simulation) {
    this.simulation = simulation;
    const { engine, about, units, arrays } = simulation;
    const particles = arrays.particles.length / about.particle.size;
    this.lanes = [
      lane(engine, { at: arrays.memory.at, length: units * about.unit.size }, units, about.unit),
      lane(engine, arrays.particles, particles, about.particle),
    ];
    /** @type {import("./types").Stage["frame"]} the kinds of frames and their flags */
    this.numbers = about.look.frame;
    this.known = false;
  }

  /** The present moment: all of it, or what has changed since the last frame. @returns {ArrayBuffer} */
  frame(reached = false) {
    const { numbers } = this;
    for (const one of this.lanes) this.pack(one, one.now);
    const found = this.encode(this.known ? numbers.changes : numbers.full, reached ? numbers.reached : 0);
    for (const one of this.lanes) [one.before, one.now] = [one.now, one.before];
    this.known = true;
    return found;
  }

  /** The reader knows nothing any more. */
  forget() {
    this.known = false;
    for (const { before } of this.lanes) this.simulation.engine.bytes(before).fill(0);
  }

  /** What the activation of a particle would change. @param {number} particle @param {number[]} [coins] how its coins fall */
  whatIf(particle, coins = []) {
    const kept = this.lanes.map(({ before }) => this.simulation.engine.bytes(before).slice());
    for (const one of this.lanes) this.pack(one, one.before);
    this.simulation.whatIf(particle, () => { for (const one of this.lanes) this.pack(one, one.now); }, coins);
    const frame = this.encode(this.numbers.changes, 0);
    this.lanes.forEach(({ before }, i) => this.simulation.engine.bytes(before).set(kept[i]));
    return frame;
  }

  /** @param {ReturnType<typeof lane>} lane @param {Handle} target */
  pack({ records, size, used }, target) {
    const { engine } = this.simulation;
    engine.briefly(() => engine.calls.pack(engine.table([records]), size, engine.table([used]), engine.table([target])));
  }

  /** @param {number} kind @param {number} flags */
  encode(kind, flags) {
    const { simulation, numbers } = this, { engine, about } = simulation;
    const changes = this.lanes.map((one) => {
      const [rows, columns, bytes] = engine.briefly(() => {
        const { before, now, target } = one, given = [before, now].map((handle) => engine.table([handle]));
        const found = engine.results(3, (counts) => engine.calls.compare(...given, one.rows, one.columns, engine.table([target]), counts));
        return found.map(({ at }) => at); // whole numbers stand where addresses do
      });
      return { rows, columns, bytes: engine.bytes({ at: one.target.at, length: bytes }).slice() };
    });
    const { leader_particle: leader, latest } = simulation, [units, particles] = changes;
    const head = new Format(about.look.formats.head).record({
      kind, flags: flags | (simulation.finished ? numbers.finished : 0) | (simulation.isByHand ? numbers.by_hand : 0),
      outcome: about.outcomes.indexOf(simulation.outcome), phase: simulation.phase,
      round: simulation.rounds, position: simulation.position, candidates: simulation.candidates,
      leader: leader === null ? 0 : leader + 1, latest: latest === null ? 0 : latest + 1, activations: simulation.activations,
      units: units.rows, particles: particles.rows, unit_bytes: units.columns, particle_bytes: particles.columns,
    });
    return joined([head, units.bytes, particles.bytes]);
  }
}

/** Room for the packed records of one kind. @param {import("./engine.js").Engine} engine @param {Handle} records @param {number} rows @param {import("./types").PackedRecord} format */
function lane(engine, records, rows, { size, used }) {
  const columns = used.length, places = engine.room(8 * columns);
  new BigInt64Array(engine.calls.memory.buffer, places.at, columns).set(used.map(BigInt));
  return {
    records, rows, columns, size, used: { at: places.at, length: columns },
    before: engine.room(rows * columns), now: engine.room(rows * columns), target: engine.room(rows * (columns + 4) + columns + 8),
  };
}

/** @param {Uint8Array[]} parts @returns {ArrayBuffer} */
function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { whole.set(part, at); at += part.length; }
  return whole.buffer;
}

/** What never changes about a run. @param {Simulation} simulation @param {OpenRun} run @param {import("./types").Options} defaults @returns {ArrayBuffer} */
export function encodeStage(simulation, run, defaults) {
  const { engine, about, ground, shape, options } = simulation, { look } = about;
  const { size, places } = about.wiring;
  const wires = engine.bytes(ground.wiring, size), view = new DataView(wires.buffer, wires.byteOffset);
  const agents = Array.from({ length: simulation.agents }, (_, i) => size * i);
  /** @type {Record<string, Int32Array | Uint8Array>} */
  const arrays = {
    nodes: shape.nodes, expanded: shape.expanded,
    particle_of_node: engine.integers(ground.particle_of_node), node_of_agent: engine.integers(ground.node),
    pred: Int32Array.from(agents, (at) => view.getInt32(at + places.pred, true)),
    succ: Int32Array.from(agents, (at) => view.getInt32(at + places.succ, true)),
    facing: engine.bytes(ground.facing),
    empty: Uint8Array.from(agents, (at) => wires[at + places.empty]),
    agent_identifier: Uint8Array.from(agents, (at) => wires[at + places.agent_identifier]),
  };
  const shown = (/** @type {any} */ layer) => compile(layer.when, new Format([]))(/** @type {any} */ ({ option: options }));
  const layers = simulation.faults.length ? [...look.layers, about.of_faults] : look.layers;
  const rules = about.rules ? `Rules: ${about.rules.name}. ` : "";
  const content = {
    kind: "stage", name: shape.name, shape: run.text, shape_seed: run.shape_seed, seed: String(simulation.seed),
    options, defaults, note: `${rules}${run.note}`.trim(), rules: about.rules?.name ?? "", by_hand: run.schedule.length, on_nodes: about.on_nodes,
    particles: simulation.particles, boundaries: simulation.boundaries.map(({ first, length }) => [first, length]),
    ...look, layers: layers.filter(shown),
    faults: simulation.faults.map(({ kind, particle, rounds, position }) => [kind, particle, rounds, position]),
    arrays: Object.entries(arrays).map(([name, array]) => [name, array instanceof Uint8Array ? "u1" : "i4", array.length]),
  };
  const text = new TextEncoder().encode(JSON.stringify(content));
  const parts = [new Uint8Array(Uint32Array.of(text.length).buffer), text];
  let length = 4 + text.length;
  for (const array of Object.values(arrays)) {
    const gap = (8 - (length % 8)) % 8;
    parts.push(new Uint8Array(gap), /** @type {Uint8Array<ArrayBuffer>} */ (new Uint8Array(array.buffer, array.byteOffset, array.byteLength)));
    length += gap + array.byteLength;
  }
  return joined(parts);
}

/** Bytes as text. @param {ArrayBuffer} frame */
export function asBase64(frame) {
  let bytes = "";
  for (const byte of new Uint8Array(frame)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}
