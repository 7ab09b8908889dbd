// @ts-check
// One reader's run where there is no server: the requests of the page, each with one answer. What they
// are, viewer/session.py says.

import { Diagram } from "./diagram.js";
import { readFaults } from "./faults.js";
import { asBase64, Encoder, encodeStage } from "./frames.js";
import { listMoves } from "./moves.js";
import { asDict, asText, readFile, readRun } from "./runs.js";
import { InputError, isObject } from "./shapes.js";
import { NO_END } from "./simulation.js";
import { Survey } from "./survey.js";

/** @typedef {import("./types").OpenRun} OpenRun */
/** @typedef {Record<string, any>} Request */

// Milliseconds that one answer may take, and the most rounds and activations in one request.
const LONGEST = 2_000, MOST = 1e9;

// The same for a list of moves, which the reader can ask to go on.
const LONGEST_LIST = 100;

// Milliseconds that a jump may take, and getting through a schedule by hand; and after which that is given
// up if at this pace it would take that many times as long.
const LONGEST_SEEK = 30_000, LONGEST_OPENING = 10_000, TRIAL = 200, HOPELESS = 10;

// Rounds that a run by hand is looked ahead beyond its schedule, and particles up to which it is.
const AHEAD = 200, MOST_BY_HAND = 1_000;

// Activations of units between two looks at the clock.
const CHUNK = 300_000;

export class Session {
  /** @param {import("./library.js").Library} library @param {any} first the run to begin with, as a file has it */
  constructor(library, first) {
    this.library = library;
    this.first = first;
    this.run = readRun(first, library);
    this.simulation = this.simulationOf(this.run);
    this.encoder = new Encoder(this.simulation);
    this.survey = this.newSurvey();
    /** @type {Diagram | null} */
    this.diagram = null;
  }

  /** @param {Request} request */
  answer(request) {
    try {
      return this.serve(request);
    } catch (error) {
      const known = error instanceof InputError;
      const message = known ? error.message : error instanceof RangeError ? "there is not enough memory for this" : `the engine has stopped: ${error}`;
      return { kind: "error", message };
    }
  }

  /** @param {Request} request */
  serve(request) {
    if (!isObject(request)) throw new InputError("a request is an object with the key 'do'");
    switch (request.do) {
      case "open": this.begin(request.run ? readRun(request.run, this.library, "drawing") : readRun(this.first, this.library)); return this.stage();
      case "file": this.begin(readFile(request, this.run, this.library)); return this.stage();
      case "stage": return this.stage();
      case "look": this.encoder.forget(); return this.encoder.frame();
      case "step": this.step(request); return this.encoder.frame();
      case "back": this.back(request.unit); return this.encoder.frame();
      case "goto": this.jump(number(request, "round"), number(request, "position")); return this.encoder.frame();
      case "run": return this.encoder.frame(this.runUntil(request));
      case "activate": this.activate(request.particle, request.coins ?? []); return this.encoder.frame();
      case "fault": this.fault(request.particle, request.kind); return this.stage();
      case "what_if": return this.whatIf(request.particle);
      case "moves": return listMoves(this.simulation, this.encoder, number(request, "first"), deadlineOf(request, LONGEST_LIST));
      case "space_time": return this.spaceTime(number(request, "known"), number(request, "every"));
      case "survey": return this.survey ? this.survey.report() : this.noSurvey();
      case "save": return this.save();
      case "catalogue": return this.catalogue();
      default: throw new InputError(`there is no request '${request.do}'`);
    }
  }

  // Which run it is.

  /** @param {OpenRun} run */
  begin(run) {
    this.simulation = this.simulationOf(run);
    this.run = run;
    this.encoder = new Encoder(this.simulation);
    this.lookAhead();
  }

  /** @param {OpenRun} run */
  simulationOf(run) {
    if (!run.by_hand_from) return this.library.simulation(run.shape, run.options);
    const { faults = "", ...options } = run.options, simulation = this.library.simulation(run.shape, options);
    for (const particle of run.schedule) simulation.check(particle);
    this.play(simulation, run.by_hand_from, faults, run.schedule, run.coins ?? []);
    simulation.goto(0);
    return this.goOn(simulation, run);
  }

  // Go to where a schedule by hand begins, and through it: there is a limit to how long that may take.
  /** @param {import("./simulation.js").Simulation} simulation @param {[number, number]} from @param {unknown} faults @param {number[]} schedule @param {number[][]} coins */
  play(simulation, [rounds, position], faults, schedule, coins) {
    const begin = performance.now(), piece = Math.max(1, Math.floor(CHUNK / Math.max(1, simulation.units)));
    const check = (/** @type {number} */ share) => {
      const past = performance.now() - begin;
      if (past < LONGEST_OPENING && (past < TRIAL || past < HOPELESS * LONGEST_OPENING * share)) return;
      throw new InputError(`the schedule by hand begins in round ${rounds.toLocaleString("en")} and has ${schedule.length.toLocaleString("en")} activations: it takes longer than ${LONGEST_OPENING / 1000} seconds to get there`);
    };
    while (simulation.rounds < rounds && !simulation.finished) {
      simulation.goto(Math.min(rounds, simulation.rounds + piece));
      check(simulation.rounds / rounds);
    }
    simulation.goto(Math.min(rounds, simulation.rounds), Math.min(position, simulation.particles));
    if (faults) simulation.expect(readFaults(faults, simulation.about));
    schedule.forEach((particle, i) => {
      simulation.activate(particle, coins[i] ?? []);
      if (i % 1000 === 0) check(1);
    });
  }

  /** Let a run by hand go on after its schedule: everyone, again and again. @param {import("./simulation.js").Simulation} simulation @param {OpenRun} run */
  goOn(simulation, run) {
    simulation.follow(fairSchedule(simulation, run.schedule.length));
    return simulation;
  }

  lookAhead() {
    this.survey?.stop();
    this.diagram?.stop();
    this.diagram = null;
    this.survey = this.newSurvey();
  }

  newSurvey() { return this.canLookAhead() ? new Survey(this.simulationOf(this.run), this.lastRound()) : null; }

  canLookAhead() { return !this.run.by_hand_from || this.simulation.particles <= MOST_BY_HAND; }

  lastRound() { return this.run.by_hand_from ? this.run.schedule.length + AHEAD : this.simulation.round_limit; }

  /** @param {number} known @param {number} apart */
  spaceTime(known, apart) {
    if (!this.canLookAhead()) throw new InputError(`a run by hand is looked ahead with up to ${MOST_BY_HAND.toLocaleString("en")} particles`);
    this.diagram ??= new Diagram(this.simulationOf(this.run), this.lastRound());
    return this.diagram.report(known, apart);
  }

  stage() {
    const { library, simulation } = this, { about } = simulation;
    const own = Object.fromEntries(about.options.map((option) => [option.name, option.default]));
    const defaults = { algorithm: library.usual, scheduler: about.schedulers[0], ...own };
    return encodeStage(simulation, this.run, defaults);
  }

  save() {
    const run = asDict(this.run, this.simulation);
    return { kind: "run", run, text: asText(run) };
  }

  catalogue() {
    const { shapes, schedulers, elections } = this.library;
    return { kind: "catalogue", shapes, schedulers, elections: elections.map(({ name, title, source, options, presets }) => ({ name, title, source, options, presets })) };
  }

  // Where it stands.

  /** @param {Request} request */
  step(request) {
    const deadline = deadlineOf(request), { simulation } = this;
    for (let steps = number(request, "activations"); steps > 0 && performance.now() < deadline; steps--) simulation.step();
    const rounds = number(request, "rounds");
    if (rounds) this.advance(simulation.rounds + rounds, deadline);
  }

  /** @param {string} unit */
  back(unit) {
    const { simulation } = this, { rounds, position } = simulation;
    if (unit === "round") {
      this.jump(Math.max(0, rounds - Number(position === 0)), 0);
      return;
    }
    const target = simulation.steps - 1;
    if (position) this.jump(rounds, position - 1);
    else if (target >= 0) {
      this.jump(rounds - 1, 0);
      simulation.step(target - simulation.steps);
    }
  }

  /** @param {Request} request */
  runUntil(request) {
    const { simulation } = this, { until } = request, deadline = deadlineOf(request);
    const before = request.phase ?? simulation.phase;
    let reached = simulation.finished;
    while (!reached && performance.now() < deadline) {
      this.advance(simulation.rounds + 1, deadline);
      reached = simulation.finished || (until === "phase" && simulation.phase !== before) || (until === "leader" && simulation.outcome !== null);
    }
    return reached;
  }

  /** @param {number} rounds @param {number} position */
  jump(rounds, position) {
    const { simulation } = this;
    const last = simulation.byHandSince < NO_END ? simulation.byHandSince + simulation.byHand.length : NO_END;
    const then = this.survey?.nearest(rounds, last);
    const isBack = simulation.rounds > rounds || (simulation.rounds === rounds && simulation.position > position);
    if (then && (isBack || then.rounds > simulation.rounds)) simulation.restore(then);
    else if (isBack) simulation.goto(Math.min(rounds, simulation.rounds), 0);
    this.advance(rounds, performance.now() + LONGEST_SEEK, true);
    if (simulation.rounds === rounds) simulation.goto(rounds, position);
  }

  /** @param {number} rounds @param {number} deadline */
  advance(rounds, deadline, atEnd = false) {
    const { simulation } = this, piece = Math.max(1, Math.floor(CHUNK / Math.max(1, simulation.units)));
    const isStepped = simulation.byHandSince < NO_END; // at some point
    while (simulation.rounds < rounds && performance.now() < deadline) {
      if (atEnd && simulation.finished) break;
      const before = simulation.steps;
      if (isStepped && simulation.rounds >= simulation.byHandFrom[0]) simulation.step();
      else simulation.goto(Math.min(rounds, simulation.rounds + (isStepped ? 1 : piece)));
      if (simulation.steps === before) break; // everyone has terminated
    }
  }

  // By hand.

  /** @param {number} particle @param {number[]} coins */
  activate(particle, coins) {
    const { simulation } = this;
    const sides = simulation.coins_ahead(particle).map(([count]) => count);
    if (!Array.isArray(coins) || ![0, sides.length].includes(coins.length)) throw new InputError(`'coins' must be a list of ${sides.length} outcomes`);
    coins.forEach((outcome, i) => {
      if (!(Number.isInteger(outcome) && outcome >= 0 && outcome < sides[i])) throw new InputError(`'outcome' must be a whole number from 0 to ${sides[i] - 1}`);
    });
    simulation.activate(particle, coins);
    this.takeOver();
  }

  // Let a particle crash, or corrupt its memory: from here on the run is by hand.
  /** @param {number} particle @param {string} kind */
  fault(particle, kind) {
    if (kind !== "crash" && kind !== "corrupt") throw new InputError("'kind' must be crash or corrupt");
    this.simulation[kind](particle);
    this.takeOver();
  }

  // Take what the reader has done by hand for the run, and look ahead anew.
  takeOver() {
    const { simulation } = this, { algorithm, scheduler, ...own } = simulation.options;
    const schedule = [...simulation.byHand], chosen = simulation.chosen.size ? schedule.map((_, i) => simulation.chosen.get(i) ?? []) : null;
    const options = { ...this.run.options, ...own };
    this.run = { ...this.run, options, by_hand_from: simulation.byHandFrom, schedule, coins: chosen, note: "" };
    this.goOn(simulation, this.run);
    this.lookAhead();
  }

  /** @param {number} particle */
  whatIf(particle) {
    return { kind: "what_if", particle, frame: asBase64(this.encoder.whatIf(particle)) };
  }

  noSurvey() {
    const rounds = this.simulation.rounds + Number(this.simulation.position > 0);
    return { kind: "survey", done: true, rounds, outcome: null, milestones: {}, bands: [], points: [] };
  }
}

/** @param {Request} request @param {string} name */
function number(request, name) {
  const value = request[name] ?? 0;
  if (!Number.isInteger(value) || value < 0 || value > MOST) throw new InputError(`'${name}' must be a whole number from 0 to ${MOST}`);
  return value;
}

/** @param {Request} request */
function deadlineOf(request, usual = LONGEST) { return performance.now() + Math.min(LONGEST, request.milliseconds || usual); }

/** Everyone, again and again, after the first N activations by hand. @param {import("./simulation.js").Simulation} simulation @param {number} done */
function* fairSchedule({ engine, particles, seed }, done) {
  for (let block = Math.floor(done / particles); ; block++) {
    const order = engine.briefly(() => {
      const [found] = engine.results(1, (result) => engine.calls.shuffle(particles, seed, block, result));
      return engine.integers(found).slice();
    });
    yield* order.subarray(Math.max(0, done - block * particles));
  }
}
