// @ts-check
// Faults: particles that crash and memories that are corrupted, written as in Python (faults.py).

import { InputError } from "./shapes.js";

/** @typedef {import("./types").Fault} Fault */
/** @typedef {import("./types").About} About */
/** @typedef {import("./simulation.js").Simulation} Simulation */

const WRITTEN = /^(crash|corrupt) +(\d+|\?)(?:\.(\d+))?@(\d+)(?:\+(\d+))?(?: +([a-z_]\w*(?:\.[a-z_]\w*)*)=(-?\d+))?$/;

/** The faults that a text names, in the order of their moments. @param {unknown} text @param {About} about @returns {Fault[]} */
export function readFaults(text, about) {
  if (typeof text !== "string") throw new InputError('"faults" must be text, such as "crash 3@10"');
  const found = text.split(",").map((one) => one.trim()).filter(Boolean).map((one) => read(one, about));
  return found.sort((a, b) => a.rounds - b.rounds || a.position - b.position);
}

/** @param {string} text @param {About} about @returns {Fault} */
function read(text, about) {
  const [, kind, who, agent, rounds, position, field, value] = WRITTEN.exec(text) ?? [];
  if (!kind || (kind === "crash" && (agent ?? field) !== undefined)) throw new InputError(`'${text.slice(0, 60)}' is not a fault: write crash 3@10 or corrupt 3@10`);
  const number = (/** @type {string | undefined} */ part) => {
    if (Number(part) > Number.MAX_SAFE_INTEGER) throw new InputError(`'${text.slice(0, 60)}': there is no such moment`);
    return part === undefined ? null : Number(part);
  };
  const change = field === undefined ? null : { field, value: number(value) ?? 0 };
  if (change) placeOf(change, about);
  return {
    kind: /** @type {Fault["kind"]} */ (kind), particle: who === "?" ? null : number(who), rounds: number(rounds) ?? 0,
    position: number(position) ?? 0, agent: number(agent), change,
  };
}

/** @param {{ field: string, value: number }} change @param {About} about */
function placeOf({ field, value }, about) {
  const found = about.memory.find(([path]) => path === field);
  if (!found) throw new InputError(`${field}=${value}: there is no field ${field}; a memory has ${[...new Set(about.memory.map(([path]) => path.split(".")[0]))].join(", ")}`);
  const [, start, size, limits] = found;
  if (!limits) throw new InputError(`${field}=${value}: ${field} is not a single number`);
  if (value < limits[0] || value > limits[1]) throw new InputError(`${field}=${value}: ${field} can be ${limits[0]} to ${limits[1]}`);
  return { start, size };
}

/** A fault as it is written. @param {Fault} fault */
export function written({ kind, particle, rounds, position, agent, change }) {
  return `${kind} ${particle ?? "?"}${agent === null ? "" : `.${agent}`}@${rounds}${position ? `+${position}` : ""}${change ? ` ${change.field}=${change.value}` : ""}`;
}

/** The faults of a run with the particles that its seed chooses, each another one. @param {Fault[]} faults @param {Simulation} simulation */
export function located(faults, simulation) {
  if (!faults.length) return [];
  const { engine, particles, seed } = simulation;
  const named = new Set(faults.map(({ particle }) => particle));
  const free = engine.briefly(() => {
    const [order] = engine.results(1, (result) => engine.calls.victims(particles, seed, result));
    return [...engine.integers(order)].filter((particle) => !named.has(particle));
  });
  return faults.map((one) => {
    const particle = one.particle ?? free.shift();
    if (particle === undefined) throw new InputError(`${written(one)}: each ? is a different particle, and none is left`);
    if (particle >= particles) throw new InputError(`${written(one)}: ${particles === 1 ? "the only particle is number 0" : `the particles are numbered 0 to ${particles - 1}`}`);
    const found = { ...one, particle };
    unitsOf(found, simulation);
    return found;
  });
}

/** @param {Fault} fault @param {Simulation} simulation */
function unitsOf(fault, { engine, state }) {
  const units = engine.briefly(() => {
    const [found] = engine.results(1, (result) => engine.calls.units(state, fault.particle, result));
    return [...new BigInt64Array(engine.calls.memory.buffer, found.at, found.length)].map(Number);
  });
  if (fault.agent === null) return units;
  if (fault.agent >= units.length) throw new InputError(`${written(fault)}: particle ${fault.particle} has no agent ${fault.agent} (it has ${units.length}, numbered from 0)`);
  return [units[fault.agent]];
}

/** Corrupt a memory, as a fault says. @param {Fault} fault @param {Simulation} simulation */
export function corrupt(fault, simulation) {
  const { engine, about, state, seed } = simulation, units = unitsOf(fault, simulation);
  engine.briefly(() => {
    const whose = engine.table([engine.longs(units)]);
    if (fault.change) {
      const { start, size } = placeOf(fault.change, about);
      engine.calls.put(state, whose, start, size, BigInt(fault.change.value));
    } else {
      const own = about.memory.filter(([, , , , isView]) => !isView), places = engine.longs(own.flatMap(([, start, size]) => [start, size]));
      engine.calls.corrupt(state, whose, engine.table([{ at: places.at, length: own.length }]), seed);
    }
  });
}

/** Particles in the order of a run's scheduler, without those that crashed. @param {Simulation} simulation @param {string} scheduler */
export function* scheduled(simulation, scheduler) {
  const { engine, about, particles, state } = simulation, number = about.schedulers.indexOf(scheduler);
  const alive = () => Array.from({ length: particles }, (_, i) => i).filter((i) => !simulation.crashed.has(i));
  let now = -1, first = 0;
  while (simulation.crashed.size < particles) {
    first = simulation.rounds === now ? first + particles : 0;
    now = simulation.rounds;
    // If all that were left in a round have crashed, it ends with whoever is next.
    const next = simulation.waiting.length ? simulation.waiting : alive();
    const order = engine.briefly(() => {
      const waiting = engine.room(particles), marks = engine.bytes(waiting);
      for (const particle of next) marks[particle] = 1;
      const [found] = engine.results(1, (result) => engine.calls.rest(state, number, engine.table([waiting]), first, result));
      return engine.integers(found).slice();
    });
    for (const particle of order) {
      if (simulation.crashed.has(particle)) continue;
      yield particle;
      if (simulation.rounds !== now) break;
    }
  }
}
