// @ts-check
// The whole run, computed a little at a time while nothing else is asked for: how long it is, its
// milestones, its charts. viewer/survey.py does the same in a thread.

import { compile } from "./expressions.js";
import { Format } from "./record.js";

/** @typedef {import("./simulation.js").Simulation} Simulation */
/** @typedef {import("./simulation.js").Snapshot} Snapshot */

// Points of a chart, and snapshots, that are kept: when there are twice as many, every second goes.
const POINTS = 400, SNAPSHOTS = 32, MOST_BYTES = 200_000_000;

// Milliseconds that are spent at a time.
const SLICE = 12;

export class Survey {
  /** @param {Simulation} simulation @param {number | null} last */
  constructor(simulation, last) {
    this.simulation = simulation;
    this.last = last;
    this.done = this.stopped = false;
    /** @type {number[][]} */
    this.points = [];
    /** @type {Snapshot[]} */
    this.snapshots = [];
    this.every = this.apart = 1;
    const size = simulation.arrays.memory.length + simulation.arrays.particles.length;
    this.most = Math.max(2, Math.min(SNAPSHOTS, Math.floor(MOST_BYTES / Math.max(1, size))));
    this.count = counter(simulation);
    this.points.push(this.count());
    this.goOn();
  }

  stop() { this.stopped = true; }

  goOn() {
    const { simulation } = this, end = performance.now() + SLICE;
    while (!this.stopped && !this.done && performance.now() < end) {
      if (simulation.finished || simulation.rounds === this.last) { this.done = true; break; }
      simulation.round();
      if (simulation.rounds % this.every === 0 || simulation.finished) this.note();
      if (simulation.rounds % this.apart === 0) this.keep();
    }
    if (!this.done && !this.stopped) setTimeout(() => this.goOn());
  }

  note() {
    this.points.push(this.count());
    if (this.points.length <= 2 * POINTS) return;
    this.points = this.points.filter((_, i) => i % 2 === 0);
    this.every *= 2;
  }

  keep() {
    this.snapshots.push(this.simulation.snapshot());
    if (this.snapshots.length <= 2 * this.most) return;
    this.snapshots = this.snapshots.filter((_, i) => i % 2);
    this.apart *= 2;
  }

  /** The last snapshot before a round and a number of steps. @param {number} rounds @param {number} steps */
  nearest(rounds, steps) {
    return this.snapshots.filter((then) => then.rounds <= rounds && then.steps <= steps).pop();
  }

  /** What is known so far. */
  report() {
    const { simulation } = this, { engine } = simulation, rounds = simulation.rounds + Number(simulation.position > 0);
    const bands = engine.briefly(() => {
      const [found] = engine.results(1, (result) => engine.calls.bands(simulation.state, rounds, result));
      return [...engine.integers(found, 3)];
    });
    return {
      kind: "survey", done: this.done, rounds, outcome: simulation.outcome,
      milestones: Object.fromEntries(Object.entries(simulation.milestones).filter(([, when]) => when)),
      bands: Array.from({ length: bands.length / 3 }, (_, i) => bands.slice(3 * i, 3 * i + 3)),
      points: this.points,
    };
  }
}

/** What counts the candidates left, and what the election's charts show beside them. @param {Simulation} simulation */
function counter(simulation) {
  const { counts, visit } = looker(simulation, simulation.about.series);
  return () => {
    const sums = counts.map(() => 0);
    visit((context) => { for (let i = 0; i < counts.length; i++) sums[i] += Number(counts[i](context)); });
    return [simulation.rounds, simulation.candidates, ...sums];
  };
}

/**
 * Expressions ready to be evaluated on a run's memories, and what visits all units for that.
 * @param {Simulation} simulation @param {import("./types").Value[]} values
 */
export function looker(simulation, values) {
  const { about, engine, ground, boundaries, agents, units } = simulation, { size, used, fields } = about.unit;
  const offsets = used.length ? fields.map(([path, kind, at]) => /** @type {import("./types").Place} */ ([path, kind, used[at]])) : [];
  const format = new Format(offsets), counts = values.map((value) => compile(value, format));
  const { places: wired, size: wireSize } = about.wiring;
  const wires = engine.bytes(ground.wiring, wireSize), boundary = new Int32Array(agents);
  boundaries.forEach(({ first, length }, number) => boundary.fill(number, first, first + length));
  const byte = (/** @type {number} */ place) => Uint8Array.from({ length: agents }, (_, i) => wires[wireSize * i + place]);
  const view = { empty: byte(wired.empty), agent_identifier: byte(wired.agent_identifier), boundary };
  const me = { bytes: new Uint8Array(0), at: 0 };
  const context = /** @type {any} */ ({ unit: 0, view, option: simulation.options, me });
  /** @param {(context: import("./types").Context) => void} look */
  const visit = (look) => {
    me.bytes = engine.bytes(simulation.arrays.memory);
    for (let unit = 0; unit < units; unit++) {
      context.unit = unit;
      me.at = unit * size;
      look(context);
    }
  };
  return { counts, visit };
}
