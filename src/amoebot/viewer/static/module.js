// @ts-check
// The JavaScript interface. A file made by `amoebot live --module` has its engines in PACKED.

import { Library } from "./library.js";
import { InputError, isObject } from "./shapes.js";
import { Simulation } from "./simulation.js";

/** @typedef {import("./types").RunOptions} RunOptions */
/** @typedef {import("./types").GivenShape} GivenShape */
/** @typedef {RunOptions & { shape_seed?: number | string | bigint }} AllOptions */

/**
 * Get the engines ready.
 * @example
 * import { load } from "./amoebot.mjs";
 * const amoebot = await load();
 * amoebot.elect("hexagon:10", { seed: 7 }).rounds;
 */
export async function load() {
  const library = await Library.unpack(PACKED);

  /** One run of an election, to step, run, rewind and look into. */
  class OwnSimulation extends Simulation {
    /**
     * @param {string | GivenShape} shape A shape string such as "hexagon:20", or an object with nodes.
     * @param {AllOptions} [given] By the names that Python has: seed, scheduler, algorithm, max_rounds
     *   and those of the election; and the seed of a random shape, shape_seed.
     */
    constructor(shape, given = {}) {
      if (!isObject(given)) throw new InputError("options are an object, such as { seed: 7 }");
      const { shape_seed = 0, ...options } = given, about = library.about(options.algorithm);
      super(about, library.module(about.name), library.shape(shape, shape_seed), options);
    }
  }

  return {
    /** The elections that are inside, the default one first. */
    elections: library.elections.map(({ name }) => name),
    /** The schedulers by name, each with what it does. */
    schedulers: library.schedulers,
    /** The shapes that have a string. */
    shapes: library.shapes.map(({ name, signature, description, example }) => ({ name, signature, description, example })),
    Simulation: OwnSimulation,
    /**
     * Elect a leader: run an election until it has an outcome.
     * @param {string | GivenShape} shape @param {AllOptions} [options]
     */
    elect: (shape, options = {}) => new OwnSimulation(shape, options).run(),
  };
}
