// @ts-check
// The space-time diagram of a run, recorded a little at a time once it is asked for. What it records,
// render/space_time.py says, and viewer/diagram.py does the same in a thread.

import { looker } from "./survey.js";

/** @typedef {import("./simulation.js").Simulation} Simulation */

// Columns, and half of the rows that are kept at most.
const COLUMNS = 400, ROWS = 240;

// Milliseconds that are spent at a time.
const SLICE = 12;

export class Diagram {
  /** @param {Simulation} simulation @param {number | null} last */
  constructor(simulation, last) {
    this.simulation = simulation;
    this.last = last;
    this.done = this.stopped = false;
    this.every = 1;
    this.columns = Math.min(COLUMNS, simulation.agents);
    /** @type {[rounds: number, row: Uint8Array][]} */
    this.kept = [];
    this.row = recorder(simulation, this.columns);
    this.note();
    this.goOn();
  }

  stop() { this.stopped = true; }

  goOn() {
    const { simulation, last } = this, end = performance.now() + SLICE;
    while (!this.stopped && !this.done && performance.now() < end) {
      if (simulation.finished || simulation.rounds === last) { this.done = true; break; }
      const target = simulation.rounds + this.every - (simulation.rounds % this.every);
      simulation.goto(last === null ? target : Math.min(last, target));
      this.note();
    }
    if (!this.done && !this.stopped) setTimeout(() => this.goOn());
  }

  note() {
    const { simulation } = this, now = simulation.rounds + Number(simulation.position > 0);
    if (now % this.every && !simulation.finished) return;
    this.kept.push([now, this.row()]);
    if (this.kept.length < 2 * ROWS) return;
    this.kept = this.kept.filter((_, i) => i % 2 === 0);
    this.every *= 2;
  }

  /** The rows after those that the page knows, unless they are others by now. @param {number} known @param {number} apart @returns {ArrayBuffer} */
  report(known, apart) {
    const { kept, done, columns } = this, every = kept.length > 1 ? kept[1][0] - kept[0][0] : 1;
    const fresh = apart === every ? kept.slice(known) : kept;
    const about = { kind: "space_time", done, every, columns, from: kept.length - fresh.length, rounds: fresh.map(([rounds]) => rounds) };
    const head = new TextEncoder().encode(JSON.stringify(about)), size = fresh.reduce((sum, [, row]) => sum + row.length, 0);
    const whole = new Uint8Array(4 + head.length + size);
    new DataView(whole.buffer).setUint32(0, head.length, true);
    whole.set(head, 4);
    let at = 4 + head.length;
    for (const [, row] of fresh) { whole.set(row, at); at += row.length; }
    return whole.buffer;
  }
}

/** What records a moment: of each trace and column, the share of agents that show it. @param {Simulation} simulation @param {number} columns */
function recorder(simulation, columns) {
  const { about, agents, units, engine, ground } = simulation;
  const { counts: traces, visit } = looker(simulation, about.look.traces.map((/** @type {any} */ { when }) => when));
  const nodes = about.on_nodes ? engine.integers(ground.node).slice() : null;
  const firsts = Array.from({ length: columns + 1 }, (_, i) => Math.floor((i * agents) / Math.max(1, columns)));
  const shown = new Uint8Array(traces.length * units);
  return () => {
    visit((context) => { for (let i = 0; i < traces.length; i++) shown[i * units + context.unit] = traces[i](context) ? 1 : 0; });
    return Uint8Array.from({ length: traces.length * columns }, (_, at) => {
      const trace = Math.floor(at / columns), column = at % columns;
      let count = 0;
      for (let agent = firsts[column]; agent < firsts[column + 1]; agent++) count += shown[trace * units + (nodes ? nodes[agent] : agent)];
      return Math.ceil((255 * count) / (firsts[column + 1] - firsts[column]));
    });
  };
}
