// @ts-check
// The elections that a file has inside, each with its engine.

import { Engine } from "./engine.js";
import { fromLists, generate, InputError, wholeSeed } from "./shapes.js";
import { Simulation } from "./simulation.js";
import { unpackText } from "./unpack.js";

/** @typedef {import("./types").About} About */
/** @typedef {import("./types").Shape} Shape */
/** @typedef {import("./types").GivenShape} GivenShape */
/** @typedef {import("./types").RunOptions} RunOptions */

export class Library {
  /** @param {import("./types").Packed} packed */
  static async unpack({ about, engines }) {
    const names = Object.keys(engines);
    const [told, ...modules] = await Promise.all([about, ...Object.values(engines)].map(unpackText));
    const content = JSON.parse(new TextDecoder().decode(told));
    return new Library(content, Object.fromEntries(names.map((name, i) => [name, modules[i]])));
  }

  /** @param {any} content @param {Record<string, ArrayBuffer>} bytes */
  constructor({ shapes, most, schedulers, elections, usual }, bytes) {
    /** @type {import("./types").Generator[]} */
    this.shapes = shapes;
    this.most = most;
    /** @type {Record<string, string>} */
    this.schedulers = schedulers;
    /** @type {About[]} */
    this.elections = elections;
    /** @type {string} what an address that names no election means */
    this.usual = usual;
    this.bytes = bytes;
    /** @type {Map<string, WebAssembly.Module>} */
    this.modules = new Map();
  }

  /** @param {string} [name] @returns {About} */
  about(name = this.elections[0].name) {
    const found = this.elections.find((one) => one.name === name);
    if (!found) throw new InputError(`there is no election '${name}' here: choose from ${this.elections.map((one) => one.name).join(", ")}`);
    return found;
  }

  /** @param {string} name */
  module(name) {
    let module = this.modules.get(name);
    if (!module) this.modules.set(name, module = new WebAssembly.Module(/** @type {any} */ (this.bytes[name])));
    return module;
  }

  /** @param {string | GivenShape} given @param {unknown} seed @returns {Shape} */
  shape(given, seed = 0) {
    if (typeof given !== "string") return fromLists(given, "shape");
    const engine = new Engine(this.module(this.elections[0].name));
    return generate(given, wholeSeed(seed, "the shape seed"), this.shapes, engine, this.most);
  }

  /** @param {Shape} shape @param {RunOptions} options */
  simulation(shape, options = {}) {
    const about = this.about(options.algorithm);
    return new Simulation(about, this.module(about.name), shape, options);
  }
}
