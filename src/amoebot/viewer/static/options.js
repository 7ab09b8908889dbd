// @ts-check
// The options of a run, as the user gives them and as results have them.

import { readFaults, written } from "./faults.js";
import { InputError, wholeSeed } from "./shapes.js";

/** @typedef {import("./types").About} About */
/** @typedef {import("./types").Fault} Fault */
/** @typedef {import("./types").RunOptions} RunOptions */

/** The options of a run, checked, with those that were not given. @param {About} about @param {RunOptions} given */
export function completed(about, given) {
  const { seed = 0, scheduler = about.schedulers[0], max_rounds = null, algorithm = about.name, faults = "", ...own } = given;
  if (!about.schedulers.includes(scheduler)) throw new InputError(`there is no scheduler '${scheduler}': choose from ${about.schedulers.join(", ")}`);
  if (algorithm !== about.name) throw new InputError(`there is no election '${algorithm}' here`);
  if (max_rounds !== null && !(Number.isSafeInteger(max_rounds) && max_rounds > 0)) throw new InputError(`max_rounds ${max_rounds} is not a whole number from 1 on`);
  for (const name of Object.keys(own)) {
    if (!about.options.some((option) => option.name === name)) {
      throw new InputError(`${about.name} has no option '${name}': choose from ${about.options.map((option) => option.name).join(", ")}`);
    }
  }
  /** @type {Record<string, boolean | number>} */
  const checked = {};
  for (const { name, default: usual, least, most } of about.options) {
    const value = own[name] ?? usual;
    const fine = typeof usual === "boolean" ? typeof value === "boolean"
      : Number.isInteger(value) && Number(value) >= Number(least) && Number(value) <= Number(most);
    if (!fine) throw new InputError(`${name} ${value} is ${typeof usual === "boolean" ? "neither true nor false" : `not a whole number from ${least} to ${most}`}`);
    checked[name] = value;
  }
  return { seed: wholeSeed(seed, "the seed"), scheduler, max_rounds, own: checked, faults: readFaults(faults, about) };
}

/** Faults as options have them. @param {Fault[]} faults @returns {{ faults?: string }} */
export const asOption = (faults) => (faults.length ? { faults: faults.map(written).join(", ") } : {});
