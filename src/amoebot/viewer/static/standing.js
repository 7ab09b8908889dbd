// @ts-check
// Where a run stands: what never changes about its system, what does, and what that says. All of it is in
// the engine's memory.

import { Engine } from "./engine.js";
import { asOption } from "./options.js";
import { Format } from "./record.js";
import { surveyed } from "./shapes.js";

/** @typedef {import("./types").About} About */
/** @typedef {import("./types").Shape} Shape */

export class Standing {
  /** @param {About} about @param {WebAssembly.Module} module @param {Shape} shape @param {ReturnType<typeof import("./options.js").completed>} options */
  constructor(about, module, shape, options) {
    this.about = about;
    this.shape = shape;
    const { seed, scheduler, max_rounds, own, faults } = options;
    /** The seed, as a BigInt. */
    this.seed = seed;
    /** All options of the run but its seed, by name. */
    this.options = { algorithm: about.name, scheduler, ...asOption(faults), ...own };
    this.max_rounds = max_rounds;
    /** The name of the scheduler, or "by hand" once a particle was activated so. */
    this.scheduler = scheduler;
    this.engine = new Engine(module);
    const neighbours = surveyed(shape, this.engine);
    this.state = this.engine.room(8 * about.leaves).at;
    /** What never changes about the system, in the engine's memory. */
    this.ground = this.begin(neighbours);
    /** What changes during a run, there too. */
    this.arrays = this.find();
    this.first = this.engine.bytes(this.arrays.cursor).slice();
    /** The boundaries, the outer one first. */
    this.boundaries = this.cycles();
    /** The number of particles, expanded ones counted once. */
    this.particles = this.ground.first_agent.length;
    /** The number of agents on all boundaries. */
    this.agents = this.ground.node.length;
    /** How many units have a memory: agents, or nodes. */
    this.units = about.on_nodes ? shape.nodes.length / 2 : this.agents;
    this.outer_boundary_length = this.boundaries[0]?.length ?? 0;
    /** The particles that have crashed so far. @type {Set<number>} */
    this.crashed = new Set();
  }

  /** @param {import("./engine.js").Handle} neighbours */
  begin(neighbours) {
    const { engine, about, shape } = this;
    const settings = engine.room(8 * about.settings.length);
    const words = new BigInt64Array(engine.calls.memory.buffer, settings.at, about.settings.length);
    about.settings.forEach((name, i) => { words[i] = BigInt(Number(/** @type {any} */ (this.options)[name])); });
    const offsets = engine.room(shape.offsets?.length ?? 0);
    if (shape.offsets) engine.bytes(offsets).set(shape.offsets);
    const given = engine.table([neighbours, engine.copy(shape.expanded, 2), offsets, { at: settings.at, length: 1 }]);
    const number = about.schedulers.indexOf(this.scheduler);
    const found = engine.results(9, (result) => engine.calls.begin(given, this.seed, number, this.state, result));
    const [particle_of_node, node, wiring, first_agent, , cycles, nodes, ports, facing] = found;
    return { particle_of_node, node, wiring, first_agent, cycles, nodes, offsets: ports, facing, neighbours };
  }

  find() {
    const { engine, about } = this;
    const found = engine.results(about.changing.length + 1, (result) => engine.calls.arrays(this.state, result));
    /** @type {Record<string, import("./engine.js").Handle>} */
    const arrays = {};
    /** @type {[string, number][]} */
    const names = [...about.changing, ["particles", about.particle.size]];
    names.forEach(([name, size], i) => { arrays[name] = { at: found[i].at, length: found[i].length * size }; });
    return arrays;
  }

  cycles() {
    const { cycles } = this.ground, numbers = new BigInt64Array(this.engine.calls.memory.buffer, cycles.at, 3 * cycles.length);
    return Array.from({ length: cycles.length }, (_, i) => ({ first: Number(numbers[3 * i]), length: Number(numbers[3 * i + 1]) }));
  }

  // Where the run stands.

  /** @param {"cursor" | "watch"} record @param {string} field */
  noted(record, field) {
    const view = new DataView(this.engine.calls.memory.buffer, this.arrays[record].at);
    return Number(view.getBigInt64(this.about[record][field], true));
  }

  /** The number of rounds completed. */
  get rounds() { return this.noted("cursor", "current_round") - 1; }
  /** The number of particle activations in the round under way. */
  get position() { return this.noted("cursor", "place") + this.noted("cursor", "interior_activations"); }
  /** The number of activations so far of particles that could act. */
  get activations() { return this.steps - this.noted("cursor", "idle"); }
  /** The number of steps so far: by hand, also those of particles that could not act. */
  get steps() { return this.noted("cursor", "activations"); }
  /** The particle that was activated last, or null. @returns {number | null} */
  get latest() { return this.noted("cursor", "latest") ? this.noted("cursor", "latest") - 1 : null; }
  /** How the run ended, or null while it goes on. @returns {string | null} */
  get outcome() { return this.about.outcomes[this.noted("watch", "outcome")]; }
  /** The number of candidates that have started and not withdrawn. */
  get candidates() { return this.noted("watch", "candidates") - this.noted("watch", "withdrawn"); }
  get terminate() { return Boolean(/** @type {any} */ (this.options).terminate); }
  /** Whether the run has its outcome and, if asked to, every particle has terminated. */
  get finished() {
    if (this.outcome !== "leader" || !this.terminate) return this.outcome !== null;
    const { crashed } = this;
    if (crashed.size) return Array.from({ length: this.particles }, (_, i) => i).every((i) => crashed.has(i) || this.ofParticle(i, "terminated"));
    return this.noted("watch", this.about.terminated) > 0;
  }
  /** The number of the phase that the run is in. @returns {number} */
  get phase() {
    if (this.finished) return this.about.phases - 1;
    return this.engine.briefly(() => this.engine.calls.phase(this.state));
  }
  /** The round by which each milestone was reached, null for those still to come. @returns {Record<string, number | null>} */
  get milestones() {
    return Object.fromEntries(this.about.milestones.map((name) => [name, this.noted("watch", name) || null]));
  }
  /** The number of the leader particle, or null. @returns {number | null} */
  get leader_particle() {
    const found = this.engine.calls.leader(this.state);
    return found < 0 ? null : found;
  }
  /** The nodes of the leader particle, or null. */
  get leader() { return this.leader_particle === null ? null : this.nodesOf(this.leader_particle); }
  /** The memory of every agent (or node), as one record each. @returns {any[]} */
  get memory() {
    const { size, used, fields } = this.about.unit, format = new Format(fields);
    const bytes = this.memoryBytes(), packed = new Uint8Array(used.length);
    return Array.from({ length: this.units }, (_, unit) => {
      used.forEach((place, i) => { packed[i] = bytes[unit * size + place]; });
      return nested(format.read(packed));
    });
  }
  /** The same as bytes, laid out as in Python. */
  memoryBytes() { return this.engine.bytes(this.arrays.memory).slice(0, this.units * this.about.unit.size); }

  /** A field of a particle's own memory; 0 where particles have none. @param {number} particle @param {string} name */
  ofParticle(particle, name) {
    const { size, used, fields } = this.about.particle, at = this.arrays.particles.at + size * particle;
    if (size * (particle + 1) > this.arrays.particles.length) return 0;
    const record = this.engine.bytes({ at, length: size });
    return new Format(fields).reader(name)(Uint8Array.from(used, (place) => record[place]), 0);
  }

  /** @param {number} particle @returns {[number, number][]} */
  nodesOf(particle) {
    const nodes = this.engine.integers(this.ground.nodes, 2).subarray(2 * particle, 2 * particle + 2);
    return [...nodes].filter((node) => node >= 0).map((node) => [this.shape.nodes[2 * node], this.shape.nodes[2 * node + 1]]);
  }
}

/** Fields with paths as records in records. @param {Record<string, number>} flat @returns {any} */
function nested(flat) {
  /** @type {any} */
  const made = {};
  for (const [path, value] of Object.entries(flat)) {
    const parts = path.split("."), last = /** @type {string} */ (parts.pop());
    let place = made;
    for (const part of parts) place = place[part] ??= {};
    place[last] = value;
  }
  return made;
}
