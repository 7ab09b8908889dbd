// @ts-check
// One run of an election, to step, run, rewind and look into. It has the names of the Python interface.

import { corrupt, located, scheduled } from "./faults.js";
import { asOption, completed } from "./options.js";
import { InputError } from "./shapes.js";
import { Standing } from "./standing.js";

/** @typedef {import("./types").About} About */
/** @typedef {import("./types").Shape} Shape */
/** @typedef {import("./types").Result} Result */
/** @typedef {import("./types").RunOptions} RunOptions */
/** @typedef {{ rounds: number, steps: number, arrays: Uint8Array[], activated: Set<number>, struck: number }} Snapshot */
/** @typedef {import("./types").Fault} Fault */

// Activations in one call, between two snapshots; and snapshots that are kept.
const CHUNK = 300_000, APART = 50_000, MOST_SNAPSHOTS = 64;

// Activations in a round, for each particle, after which a schedule is not fair.
const MOST_PER_ROUND = 1000;

// More activations, or rounds, than any run has.
export const NO_END = 2 ** 62;

export const BY_HAND = "by hand";

// A coin that falls as the seed says.
export const NO_COIN = -1;

// There is nobody to be activated next.
class ScheduleEnd extends InputError {}

export class Simulation extends Standing {
  /** @param {About} about @param {WebAssembly.Module} module @param {Shape} shape @param {RunOptions} [options] */
  constructor(about, module, shape, options = {}) {
    const given = completed(about, options), { faults, scheduler } = given;
    super(about, module, shape, given);
    // By hand: which particles were activated since when, where more come from, and who has been
    // activated in the round under way.
    /** @type {number[]} */
    this.byHand = [];
    /** @type {Map<number, number[]>} of some of these: how their coins fall */
    this.chosen = new Map();
    this.byHandSince = faults.length ? 0 : NO_END;
    /** Whether it takes a list to tell who was activated: the user chose. */
    this.isByHand = false;
    /** @type {[number, number]} */
    this.byHandFrom = [0, 0];
    /** @type {Iterator<number>} */
    this.source = faults.length ? scheduled(this, scheduler) : [][Symbol.iterator]();
    /** @type {Set<number>} */
    this.activated = new Set();
    /** @type {Snapshot[]} */
    this.past = [];
    /** All faults of the run, with the particles that they happen to. @type {Fault[]} */
    this.faults = located(faults, this);
    this.struck = 0; // how many of them have happened
    this.applyDueFaults();
  }

  /** The particles that have not been activated in the round under way, nor have crashed. */
  get waiting() {
    const { crashed } = this, done = this.steps > this.byHandSince ? this.activated : this.activatedThisRound();
    return Array.from({ length: this.particles }, (_, i) => i).filter((i) => !done.has(i) && !crashed.has(i));
  }

  // Forwards.

  /** Activate the next particle, or the next N. */
  step(activations = 1) {
    if (!(Number.isSafeInteger(activations) && activations >= 0)) throw new InputError(`activations ${activations} is not a whole number from 0 on`);
    this.skip(activations, NO_END);
  }

  // Activate the next N particles, unless a round ends before.
  /** @param {number} activations @param {number} lastRound */
  skip(activations, lastRound) {
    const target = this.steps + activations;
    while (this.steps < target && this.rounds < lastRound) {
      const before = this.steps;
      if (before >= this.byHandSince) this.stepByHand();
      else this.advance(lastRound, Math.min(CHUNK, target - before, this.byHandSince - before));
      if (this.steps === before) break; // everyone has terminated
    }
  }

  stepByHand() {
    const done = this.steps - this.byHandSince;
    if (done === 0) this.activated = without(this.activatedThisRound(), this.crashed);
    this.applyDueFaults();
    if (done === this.byHand.length) this.byHand.push(this.nextParticle());
    this.activateNow(this.byHand[done], this.chosen.get(done));
    this.applyDueFaults(); // before anybody looks
  }

  // Whoever has crashed is passed over.
  nextParticle() {
    const { crashed } = this;
    if (crashed.size === this.particles) throw new ScheduleEnd("everyone has crashed");
    for (let tries = MOST_PER_ROUND * this.particles - this.position; tries > 0; tries--) {
      const { value, done: none } = this.source.next();
      if (none) throw new ScheduleEnd("the schedule made by hand ends here");
      this.check(value);
      if (!crashed.has(value)) return value;
    }
    throw new InputError(`the schedule is not fair: it leaves out particle ${this.waiting[0]}, and a round ends when everyone has acted`);
  }

  /**
   * Activate a particle of one's own choice; from here on the run is by hand. Coins without an outcome
   * of one's own choice, or with one that they do not have, fall as the seed says.
   * @param {number} particle @param {number[]} [coins]
   */
  activate(particle, coins = []) {
    this.check(particle);
    this.beginByHand();
    if (this.crashed.has(particle)) throw new InputError(`particle ${particle} has crashed`);
    this.scheduler = BY_HAND;
    if (coins.length) this.chosen.set(this.byHand.length, coins);
    this.byHand.push(particle);
    this.stepByHand();
  }

  // Leave the schedule there was: from here on, it is made anew.
  beginByHand() {
    this.isByHand = true;
    if (this.steps < this.byHandSince) {
      this.byHandSince = this.steps;
      this.byHandFrom = [this.rounds, this.position];
      this.activated = without(this.activatedThisRound(), this.crashed);
    }
    this.byHand.length = this.steps - this.byHandSince;
    for (const number of this.chosen.keys()) if (number >= this.byHand.length) this.chosen.delete(number);
    this.past = this.past.filter((then) => then.steps <= this.steps);
  }

  /** Let a particle crash now: it keeps its memory, and is never activated again. @param {number} particle */
  crash(particle) { this.inject("crash", particle); }

  /** Corrupt a particle's memory now: each field gets the value of a random agent's. @param {number} particle */
  corrupt(particle) { this.inject("corrupt", particle); }

  /** @param {Fault["kind"]} kind @param {number} particle */
  inject(kind, particle) {
    this.check(particle);
    if (!this.faults.length) this.source = scheduled(this, this.options.scheduler);
    this.expect([...this.faults, { kind, particle, rounds: this.rounds, position: this.position, agent: null, change: null }]);
  }

  /** Let these faults happen; from here on the run is by hand. @param {Fault[]} faults */
  expect(faults) {
    this.beginByHand();
    const sorted = faults.sort((a, b) => a.rounds - b.rounds || a.position - b.position);
    const { algorithm, scheduler, faults: _, ...own } = this.options;
    this.options = { algorithm, scheduler, ...asOption(sorted), ...own };
    this.faults = located(sorted, this);
    this.applyDueFaults();
  }

  // In a run by hand.
  applyDueFaults() {
    for (const fault of this.faults.slice(this.struck)) {
      const { rounds, position } = fault, isDue = rounds < this.rounds || (rounds === this.rounds && position <= this.position);
      if (!isDue || this.steps < this.byHandSince) break;
      if (fault.kind === "corrupt") corrupt(fault, this);
      this.struck++;
      this.findCrashed();
    }
  }

  // Nobody waits for those who have crashed.
  findCrashed() {
    this.crashed = new Set(this.faults.slice(0, this.struck).filter(({ kind }) => kind === "crash").map(({ particle }) => Number(particle)));
    this.activated = without(this.activated, this.crashed);
  }

  /** Go on with these particles once the schedule made by hand has run out. @param {Iterable<number>} schedule */
  follow(schedule) {
    if (typeof schedule?.[Symbol.iterator] !== "function") throw new InputError("a schedule is a list of particles, or another iterable");
    this.source = schedule[Symbol.iterator]();
  }

  /** Finish the round under way: everyone is activated. */
  round() { this.runTo(this.rounds + 1); }

  /** Run until the election has an outcome, or until N rounds are over. @param {number | null} [max_rounds] @returns {Result} */
  run(max_rounds = null) {
    if (max_rounds !== null && !(Number.isSafeInteger(max_rounds) && max_rounds >= 0)) throw new InputError(`max_rounds ${max_rounds} is not a whole number from 0 on`);
    try {
      this.runTo(max_rounds ?? this.round_limit ?? NO_END, true);
    } catch (error) {
      if (!(error instanceof ScheduleEnd)) throw error;
    }
    return this.result();
  }

  /** The number of rounds after which run() stops, null for never. */
  get round_limit() {
    if (this.max_rounds !== null || (this.about.elects && !this.faults.length)) return this.max_rounds;
    return 100 * (this.outer_boundary_length + this.shape.nodes.length / 2);
  }

  /** @param {number} rounds */
  runTo(rounds, untilFinished = false) {
    while (this.rounds < rounds && !this.isOver() && !(untilFinished && this.finished)) {
      if (this.steps >= this.byHandSince) this.stepByHand();
      else this.advance(rounds, Math.min(CHUNK, this.byHandSince - this.steps));
    }
    this.remember();
  }

  /** @param {number} lastRound @param {number} activations */
  advance(lastRound, activations) {
    this.engine.briefly(() => this.engine.calls.go_on(this.state, lastRound, activations));
    this.applyDueFaults();
  }

  // Everyone has terminated: nothing will ever change.
  isOver() { return this.terminate && this.finished; }

  /** @param {number} particle @param {number[]} [coins] */
  activateNow(particle, coins = []) {
    const ahead = coins.length ? this.coins_ahead(particle) : [];
    const falls = ahead.slice(0, coins.length).map(([sides], i) => (Number.isInteger(coins[i]) && coins[i] >= 0 && coins[i] < sides ? coins[i] : NO_COIN));
    this.activated.add(particle);
    const endsRound = this.activated.size + this.crashed.size === this.particles;
    if (endsRound) this.activated.clear();
    this.engine.briefly(() => this.engine.calls.activate(this.state, particle, Number(endsRound), this.engine.table([this.engine.longs(falls)])));
  }

  /** The coins that a particle's activation would flip now: sides, and how each falls. @param {number} particle @returns {[sides: number, outcome: number][]} */
  coins_ahead(particle) {
    this.check(particle);
    return this.engine.briefly(() => {
      const [found] = this.engine.results(1, (result) => this.engine.calls.coins(this.state, particle, result));
      const numbers = new BigInt64Array(this.engine.calls.memory.buffer, found.at, 2 * found.length);
      return Array.from({ length: found.length }, (_, i) => [Number(numbers[2 * i]), Number(numbers[2 * i + 1])]);
    });
  }

  /** Whom the schedule activates next, and how its coins fall if that was chosen. @returns {{ particle: number, coins: number[] } | null} */
  get next_move() {
    const now = this.snapshot();
    if (this.isOver()) return null;
    try {
      this.step();
      const particle = this.steps > now.steps ? this.latest : null;
      return particle === null ? null : { particle, coins: this.chosen.get(now.steps - this.byHandSince) ?? [] };
    } catch (error) {
      if (error instanceof ScheduleEnd) return null;
      throw error;
    } finally {
      this.restore(now);
    }
  }

  activatedThisRound() {
    if (!this.position) return new Set();
    return this.engine.briefly(() => {
      const [found] = this.engine.results(1, (result) => this.engine.calls.activated(this.state, result));
      return new Set([...this.engine.bytes(found).entries()].filter(([, is]) => is).map(([particle]) => particle));
    });
  }

  /** @param {number} particle */
  check(particle) {
    if (!Number.isInteger(particle) || particle < 0 || particle >= this.particles) {
      throw new InputError(`there is no particle ${particle}: they are numbered 0 to ${this.particles - 1}`);
    }
  }

  /** Call something in the state that a particle's activation would lead to. @template T @param {number} particle @param {() => T} look @param {number[]} [coins] */
  whatIf(particle, look, coins = []) {
    this.check(particle);
    const now = this.snapshot();
    this.activateNow(particle, coins);
    try { return look(); } finally { this.restore(now); }
  }

  // Backwards.

  /** Go to the moment after N rounds, and some activations into the next one. @param {number} rounds */
  goto(rounds, position = 0) {
    if (![rounds, position].every((number) => Number.isSafeInteger(number) && number >= 0)) throw new InputError(`there is no moment ${position} activations after round ${rounds}`);
    if (rounds < this.rounds || (rounds === this.rounds && position < this.position)) {
      const then = this.past.filter((one) => one.rounds <= rounds).pop();
      if (then) this.restore(then);
      else this.beginAgain();
    }
    this.runTo(rounds);
    if (this.rounds === rounds && this.position < position && !this.isOver()) this.skip(position - this.position, rounds + 1);
  }

  /** All that changes during a run, to come back to. @returns {Snapshot} */
  snapshot() {
    // All particles' memories are empty before the end, and there may be millions of them.
    const arrays = Object.entries(this.arrays).map(([name, handle]) =>
      name === "particles" && this.outcome === null ? new Uint8Array(0) : this.engine.bytes(handle).slice());
    return { rounds: this.rounds, steps: this.steps, arrays, activated: new Set(this.activated), struck: this.struck };
  }

  /** Come back to a snapshot of this run. @param {Snapshot} snapshot */
  restore({ arrays, activated, struck }) {
    Object.values(this.arrays).forEach((handle, i) => {
      if (arrays[i].length) this.engine.bytes(handle).set(arrays[i]);
      else this.engine.bytes(handle).fill(0);
    });
    this.activated = new Set(activated);
    this.struck = struck;
    this.findCrashed();
  }

  beginAgain() {
    for (const handle of Object.values(this.arrays)) this.engine.bytes(handle).fill(0);
    this.engine.bytes(this.arrays.cursor).set(this.first);
    this.activated = new Set();
    this.struck = 0;
    this.findCrashed();
    this.applyDueFaults();
  }

  remember() {
    const last = this.past.length ? this.past[this.past.length - 1].steps : 0;
    if (this.position !== 0 || this.steps - last < APART) return;
    this.past.push(this.snapshot());
    if (this.past.length > MOST_SNAPSHOTS) this.past = this.past.filter((_, i) => i % 2);
  }

  // Results.

  /** How the run has gone so far. @returns {Result} */
  result() {
    const { outcome, about } = this, started = this.noted("watch", "candidates");
    const withdrawals = new BigInt64Array(this.engine.calls.memory.buffer, this.arrays.withdrawals.at, this.arrays.withdrawals.length / 8);
    /** @type {Map<number, number>} */
    const left = new Map(started ? [[1, started]] : []);
    for (let gone = 0; gone < this.noted("watch", "withdrawn"); gone++) left.set(Number(withdrawals[gone]), started - gone - 1);
    return /** @type {Result} */ ({
      ...this.options,
      seed: this.seed <= Number.MAX_SAFE_INTEGER ? Number(this.seed) : this.seed,
      outcome: outcome ?? "round-limit",
      leader: this.leader,
      leaders: this.noted("watch", "leaders"),
      rounds: outcome === "leader" ? this.noted("watch", about.declared) : this.rounds + Number(this.position > 0),
      rounds_terminated: this.noted("watch", about.terminated) || null,
      particles: this.particles,
      agents: this.agents,
      outer_boundary_length: this.outer_boundary_length,
      inner_boundaries: Math.max(0, this.boundaries.length - 1),
      inner_boundary_lengths: this.boundaries.slice(1).map(({ length }) => length),
      milestones: this.milestones,
      candidates: [...left],
      shape: this.shape.name,
      rules: about.rules?.name ?? "paper",
      scheduler: this.scheduler,
    });
  }
}

/** @param {Set<number>} some @param {Set<number>} others */
const without = (some, others) => (others.size ? new Set([...some].filter((one) => !others.has(one))) : some);
