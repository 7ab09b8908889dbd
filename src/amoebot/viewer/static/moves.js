// @ts-check
// What could happen next, where there is no server: as viewer/moves.py lists it.

import { asBase64 } from "./frames.js";
import { Format } from "./record.js";

/** @typedef {import("./types").Move} Move */
/** @typedef {import("./simulation.js").Simulation} Simulation */
/** @typedef {import("./frames.js").Encoder} Encoder */

// Moves in one answer, and ways of coins that are all listed.
const MOST = 120, MOST_WAYS = 20;

/** @param {Simulation} simulation @param {Encoder} encoder @param {number} first @param {number} deadline */
export function listMoves(simulation, encoder, first, deadline) {
  const { particle: scheduled, coins: chosen } = simulation.next_move ?? { particle: -1, coins: [] };
  /** @type {Move[]} */
  const moves = [];
  const all = (/** @type {number} */ particle, /** @type {number[]} */ coins) =>
    waysOf(simulation, particle, coins).map(([way, drawn]) => move(encoder, particle, way, drawn));
  if (first === 0 && scheduled >= 0) moves.push(...all(scheduled, chosen));
  let last = first;
  for (; last < simulation.particles; last++) {
    if (!canAct(simulation, last)) continue;
    if (last > first && (moves.length >= MOST || performance.now() >= deadline)) break;
    if (last !== scheduled) moves.push(...all(last, []).filter(({ acts }) => acts));
  }
  return { kind: "moves", scheduled, moves, last };
}

/** Whether a particle can do anything at all. @param {Simulation} simulation @param {number} particle */
function canAct(simulation, particle) {
  const { about, engine, ground, outcome, crashed } = simulation;
  if (crashed.has(particle)) return false;
  if (about.on_nodes || engine.integers(ground.first_agent)[particle] >= 0) return true;
  return outcome !== null && simulation.ofParticle(particle, "message") !== 0;
}

/** How the coins of an activation can fall, and whether this is how they will. @param {Simulation} simulation @param {number} particle @param {number[]} chosen @returns {[coins: number[], drawn: boolean][]} */
function waysOf(simulation, particle, chosen) {
  const ahead = simulation.coins_ahead(particle);
  const drawn = ahead.map(([, outcome], i) => chosen[i] ?? outcome);
  const isDrawn = (/** @type {number[]} */ coins) => coins.every((outcome, i) => outcome === drawn[i]);
  if (ahead.reduce((ways, [sides]) => ways * sides, 1) <= MOST_WAYS) {
    /** @type {number[][]} */
    let found = [[]];
    for (const [sides] of ahead) found = found.flatMap((way) => Array.from({ length: sides }, (_, outcome) => [...way, outcome]));
    return found.map((coins) => [coins, isDrawn(coins)]);
  }
  const others = ahead.flatMap(([sides], i) => Array.from({ length: sides }, (_, outcome) => Object.assign([...drawn], { [i]: outcome })));
  return [[drawn, true], ...others.filter((coins) => !isDrawn(coins)).map((coins) => /** @type {[number[], boolean]} */ ([coins, false]))];
}

/** @param {Encoder} encoder @param {number} particle @param {number[]} coins @param {boolean} drawn @returns {Move} */
function move(encoder, particle, coins, drawn) {
  const frame = encoder.whatIf(particle, coins), head = new Format(encoder.simulation.about.look.formats.head).read(new Uint8Array(frame));
  return { particle, coins, drawn, acts: head.units + head.particles > 0, frame: asBase64(frame) };
}
