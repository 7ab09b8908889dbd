// @ts-check
// Runs as files and addresses describe them. The words are those of run files (docs/reference/run-files.md).

import { IMAGES } from "./images.js";
import { fromLists, fromPicture, fromPixels, InputError, isObject } from "./shapes.js";
import { NO_COIN } from "./simulation.js";

/** @typedef {import("./types").OpenRun} OpenRun */
/** @typedef {import("./library.js").Library} Library */

// What stands for a coin that falls as the seed says, and the last side that a coin may have.
const LAST_SIDE = 2 ** 31 - 1;

/** The run that an object describes. @param {any} content @param {Library} library @param {string} name @returns {OpenRun} */
export function readRun(content, library, name = "run") {
  if (!isObject(content) || content.shape === undefined) throw new InputError("a run is an object with the key 'shape'");
  const { shape: given, shape_seed = 0, note, property } = content;
  for (const [key, value] of Object.entries({ note, property })) if (isGiven(value) && typeof value !== "string") throw new InputError(`"${key}" must be text`);
  if (isGiven(given?.name) && typeof given.name !== "string") throw new InputError('the "name" of a shape must be text');
  if (!isObject(content.options ?? {})) throw new InputError('"options" must be an object');
  const { algorithm, scheduler, ...own } = content.options ?? {};
  const seed = content.seed ?? 0, text = typeof given === "string" ? given.trim() : null;
  const about = library.about(algorithm ?? library.usual), named = content.rules;
  if (isGiven(named) && typeof named?.name !== "string") throw new InputError('"rules" must be an object with "name" and "digest"');
  if (isGiven(named) && !(about.rules && named.digest === about.rules.digest)) throw new InputError(`this is a run with changed rules, ${named.name}, which are not in this file`);
  const shape = text === null ? fromLists(given, given?.name || name) : library.shape(text, shape_seed);
  const options = { algorithm: about.name, seed: String(seed), ...own };
  if (scheduler !== undefined && scheduler !== "by hand") options.scheduler = scheduler;
  const schedule = numbers(content.schedule, "schedule"), moment = content.by_hand_from ?? (schedule.length ? [0, 0] : null);
  if (isGiven(moment) && numbers(moment, "by_hand_from").length !== 2) throw new InputError('"by_hand_from" must be two numbers: rounds, and activations after them');
  const violated = property ? `Counterexample to: ${property}.` : "";
  const differs = content.seed === null ? " No seed gives this run: within a particle, agents may act in another order here." : "";
  return {
    shape, text, shape_seed: String(shape_seed), options, schedule, coins: coins(content.coins),
    by_hand_from: moment, note: note || (violated + differs).trim(),
  };
}

/** @param {unknown} value @returns {boolean} */
function isGiven(value) {
  return value !== undefined && value !== null;
}

/** @param {unknown} values @param {string} name @returns {number[]} */
function numbers(values, name) {
  if (!isGiven(values)) return [];
  if (!Array.isArray(values) || !values.every((value) => Number.isSafeInteger(value) && value >= 0)) throw new InputError(`"${name}" must be a list of whole numbers`);
  return values;
}

/** How coins fall for each activation by hand. Files of the first version have a number there: their seed gives the same coins. @param {unknown} values @returns {number[][] | null} */
function coins(values) {
  if (!isGiven(values)) return null;
  const isSide = (/** @type {any} */ one) => Number.isInteger(one) && one >= NO_COIN && one <= LAST_SIDE;
  const isList = (/** @type {unknown} */ one) => Array.isArray(one) && one.every(isSide);
  if (!Array.isArray(values) || !values.every((one) => Number.isInteger(one) || isList(one))) throw new InputError(`"coins" must be a list of lists of whole numbers from ${NO_COIN} to ${LAST_SIDE}`);
  return values.map((one) => (Array.isArray(one) ? one : []));
}

/** The run in a file, or one on the shape in it. @param {Record<string, any>} file @param {OpenRun} now @param {Library} library @returns {OpenRun} */
export function readFile({ name, content, pixels }, now, library) {
  const plain = { ...now, text: null, shape_seed: "0", by_hand_from: null, schedule: [], coins: null, note: "" };
  if (name.toLowerCase().endsWith(".txt")) return { ...plain, shape: fromPicture(content, name) };
  if (pixels) return { ...plain, shape: fromPixels(pixels, name, library.most) };
  if (!name.toLowerCase().endsWith(".json")) throw new InputError(`${name}: a shape or run file ends in .txt, .json${IMAGES.map((ending) => `, ${ending}`).join("")}`);
  const read = parse(content, name);
  return "shape" in read ? readRun(read, library, name) : { ...plain, shape: fromLists(read, name) };
}

/** @param {string} content @param {string} name */
function parse(content, name) {
  try {
    // Seeds beyond 2^53 do not survive as numbers.
    const read = JSON.parse(content.replace(/^\ufeff/, "").replace(/"(seed|shape_seed)":\s*(\d{16,})/g, '"$1": "$2"'));
    if (typeof read === "object" && read !== null) return read;
  } catch { /* say so */ }
  throw new InputError(`${name}: this is not a shape or run file`);
}

/** What a run file says of a run. @param {OpenRun} run @param {import("./simulation.js").Simulation} simulation */
export function asDict(run, simulation) {
  const { nodes, expanded, offsets, name } = run.shape;
  const node = (/** @type {number} */ i) => [nodes[2 * i], nodes[2 * i + 1]];
  const pairs = Array.from({ length: expanded.length / 2 }, (_, i) => [node(expanded[2 * i]), node(expanded[2 * i + 1])]);
  const lists = { name, nodes: Array.from({ length: nodes.length / 2 }, (_, i) => node(i)), ...(pairs.length ? { expanded: pairs } : {}), ...(offsets ? { offsets: [...offsets] } : {}) };
  const { max_rounds } = simulation, { rules } = simulation.about;
  return {
    shape: run.text ?? lists,
    ...(run.text && run.shape_seed !== "0" ? { shape_seed: run.shape_seed } : {}),
    seed: String(simulation.seed),
    options: { ...simulation.options, ...(max_rounds === null ? {} : { max_rounds }) },
    ...(run.by_hand_from ? { by_hand_from: run.by_hand_from, schedule: run.schedule } : {}),
    ...(run.coins ? { coins: run.coins } : {}),
    ...(run.note ? { note: run.note } : {}),
    ...(rules ? { rules } : {}),
  };
}

/** The one line of a run file. @param {Record<string, any>} content */
export function asText(content) {
  return `${JSON.stringify(content).replace(/"(seed|shape_seed)":"(\d+)"/g, '"$1":$2')}\n`;
}
