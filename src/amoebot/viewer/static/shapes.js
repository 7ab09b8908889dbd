// @ts-check
// Shapes: the strings that stand for them, and nodes that a user gives. What is around the nodes, and
// what nodes a string stands for, the engine computes.

/** @typedef {import("./types").Shape} Shape */
/** @typedef {import("./types").GivenShape} GivenShape */
/** @typedef {import("./types").Generator} Generator */
/** @typedef {[number, number]} Node */

const FARTHEST = 2 ** 30;

// A pixel below this is dark.
const DARK = 128;

/** What was given makes no sense: the message says why, in one sentence. */
export class InputError extends Error {}

/** Whether something has names and values. @param {unknown} value */
export function isObject(value) { return typeof value === "object" && value !== null && !Array.isArray(value); }

/** @param {unknown} value @param {string} name @returns {bigint} */
export function wholeSeed(value, name) {
  const isWhole = typeof value === "bigint" || Number.isSafeInteger(value) || (typeof value === "string" && /^\d{1,20}$/.test(value));
  const seed = isWhole ? BigInt(/** @type {any} */ (value)) : -1n;
  if (seed >= 0n && seed < 2n ** 64n) return seed;
  throw new InputError(`${name} must be a whole number from 0 to 2^64 - 1`);
}

/**
 * The shape that a string such as "hexagon:20" stands for.
 * @param {string} text @param {bigint} seed @param {Generator[]} generators @param {import("./engine.js").Engine} engine
 * @param {number} most @returns {Shape}
 */
export function generate(text, seed, generators, engine, most) {
  const [name, ...rest] = text.trim().split(":");
  const number = generators.findIndex((one) => one.name === name);
  if (number < 0) throw new InputError(`${text} is not a known shape (${generators.map((one) => one.name).join(", ")})`);
  const { parameters, signature, example } = generators[number], required = parameters.filter((one) => !one.optional).length;
  const given = rest.join(":").trim() ? rest.join(":").split(",").map((value) => value.trim()) : [];
  if (given.length < required || given.length > parameters.length) {
    const few = given.length < required ? "few" : "many";
    throw new InputError(`${text}: too ${few} parameters; expected ${signature}, for example ${example}`);
  }
  let share = 0;
  const whole = [0, 0];
  given.forEach((value, i) => {
    const { name: called, least } = parameters[i];
    if (least === null) {
      share = Number(value);
      if (!(value !== "" && share >= 0 && share < 1)) throw new InputError(`${text}: ${called} must be a number from 0 to less than 1`);
      return;
    }
    whole[i] = Number(value);
    if (!/^[+-]?\d+$/.test(value) || whole[i] < least) throw new InputError(`${text}: ${called} must be a whole number, ${least} or more`);
  });
  const [first, second] = whole;
  refuse(text, name, first, second, most);
  const nodes = engine.briefly(() => {
    const [found] = engine.results(1, (result) => engine.calls.generate(number, first, second, share, seed, result));
    return engine.integers(found, 2).slice();
  });
  if (name === "random" && nodes.length / 2 > first) throw new InputError(`${text}: ${first} nodes leave no room for ${second} holes`);
  return arranged(nodes, [], null, text.trim());
}

/** @param {string} text @param {string} name @param {number} first @param {number} second @param {number} most */
function refuse(text, name, first, second, most) {
  const hexagon = 3 * first * (first + 1) + 1;
  /** @type {Record<string, number>} */
  const sizes = {
    hexagon, annulus: hexagon, labyrinth: hexagon, swiss: hexagon, triangle: (first * (first + 1)) / 2,
    parallelogram: first * second, comb: 2 * first - 1 + first * second, random: first + second,
  };
  if ((sizes[name] ?? first) > most) throw new InputError(`${text}: at most ${most.toLocaleString("en")} nodes fit here`);
  if (name === "annulus" && second >= first) throw new InputError(`${text}: HOLE must be less than R`);
  if (name === "random" && 2 * second > first) throw new InputError(`${text}: ${first} nodes leave no room for ${second} holes`);
}

/** The shape that lists of nodes describe, as in a shape file. @param {GivenShape} given @param {string} name @returns {Shape} */
export function fromLists(given, name) {
  if (!Array.isArray(given?.nodes)) throw new InputError('a shape is a string, or an object {"nodes": [[x, y], …]}');
  const nodes = given.nodes.map((node, i) => checked(node, `entry ${i + 1} of "nodes"`));
  const index = new Map(nodes.map((node, i) => [node.join(), i])), listed = nodes.length;
  const { offsets, expanded = [] } = given;
  if (!Array.isArray(expanded)) throw new InputError('"expanded" must be a list of pairs of nodes');
  const pairs = expanded.map((pair, i) => {
    const where = `entry ${i + 1} of "expanded"`;
    if (!Array.isArray(pair) || pair.length !== 2) throw new InputError(`${where} must be a pair of nodes [[x, y], [x, y]]`);
    const [first, second] = pair.map((node) => {
      const key = checked(node, where).join();
      if (!index.has(key)) index.set(key, nodes.push(node) - 1);
      return /** @type {number} */ (index.get(key));
    });
    if ((first < listed) !== (second < listed)) throw new InputError(`${where} overlaps another particle`);
    return /** @type {Node} */ ([first, second]);
  });
  if (offsets && (!Array.isArray(offsets) || offsets.length !== nodes.length)) throw new InputError('expected one entry of "offsets" for each node');
  for (const offset of offsets ?? []) {
    if (!Number.isInteger(offset) || offset < 0 || offset > 5) throw new InputError("port offsets must be from 0 to 5");
  }
  return arranged(Int32Array.from(nodes.flat()), pairs, offsets ? Uint8Array.from(offsets) : null, given.name || name);
}

/** @param {unknown} node @param {string} where @returns {Node} */
function checked(node, where) {
  const fine = Array.isArray(node) && node.length === 2 && node.every(Number.isInteger);
  if (!fine) throw new InputError(`${where} must be a pair of whole numbers [x, y]`);
  if (node.some((one) => Math.abs(one) > FARTHEST)) throw new InputError(`${where} lies farther than 2^30 from the origin`);
  return /** @type {Node} */ (node);
}

/** The shape in a picture of the lattice. @param {string} text @param {string} name @returns {Shape} */
export function fromPicture(text, name) {
  const lines = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n").split("\n");
  /** @type {[line: number, column: number][]} */
  const found = [];
  lines.forEach((row, line) => [...row].forEach((character, column) => {
    if ("oO*#@xX".includes(character)) found.push([line, column]);
    else if (!". ".includes(character)) throw new InputError(`${name}, line ${line + 1}: column ${column + 1} holds ${JSON.stringify(character)}`);
  }));
  if (!found.length) throw new InputError(`${name}: no particle in the picture; a particle is one of oO*#@xX`);
  const last = found[found.length - 1][0];
  const parity = (/** @type {[number, number]} */ [line, column]) => (column - (last - line)) & 1;
  const odd = found.filter((one) => parity(one)).length, rare = 2 * odd < found.length ? 1 : 0;
  const off = found.find((one) => parity(one) === rare);
  if (off) throw new InputError(`${name}, line ${off[0] + 1}: the particle at column ${off[1] + 1} is off the lattice`);
  return arranged(Int32Array.from(found.flatMap(([line, column]) => [(column - (last - line)) >> 1, last - line])), [], null, name);
}

/** The shape of the dark pixels of an image: odd rows lie half a node right. @param {import("./types").Pixels} pixels @param {string} name @param {number} most @returns {Shape} */
export function fromPixels({ width, light }, name, most) {
  /** @type {number[]} */
  const nodes = [];
  light.forEach((value, i) => {
    const y = -Math.floor(i / width);
    if (value < DARK) nodes.push((i % width) - (y >> 1), y);
  });
  if (!nodes.length) throw new InputError(`${name}: no pixel is dark, so there is no particle`);
  if (nodes.length / 2 > most) throw new InputError(`${name}: at most ${most.toLocaleString("en")} nodes fit here`);
  return arranged(Int32Array.from(nodes), [], null, name);
}

/** Sort nodes by row, and let pairs and offsets follow. @param {Int32Array} given @param {Node[]} pairs @param {Uint8Array | null} offsets @param {string} name @returns {Shape} */
function arranged(given, pairs, offsets, name) {
  const count = given.length / 2;
  if (!count) throw new InputError("a shape needs at least one node");
  const order = Array.from({ length: count }, (_, i) => i).sort((a, b) => given[2 * a + 1] - given[2 * b + 1] || given[2 * a] - given[2 * b]);
  const place = new Int32Array(count), nodes = new Int32Array(2 * count);
  order.forEach((from, to) => {
    place[from] = to;
    nodes[2 * to] = given[2 * from];
    nodes[2 * to + 1] = given[2 * from + 1];
    if (to && nodes[2 * to] === nodes[2 * to - 2] && nodes[2 * to + 1] === nodes[2 * to - 1]) {
      throw new InputError(`the node (${nodes[2 * to]}, ${nodes[2 * to + 1]}) is given twice`);
    }
  });
  const sorted = pairs.map(([a, b]) => [Math.min(place[a], place[b]), Math.max(place[a], place[b])])
    .sort(([a, b], [c, d]) => a - c || b - d);
  return {
    name, nodes, expanded: Int32Array.from(sorted.flat()),
    offsets: offsets && Uint8Array.from(order, (from) => offsets[from]),
  };
}

/**
 * The neighbours of all nodes, once it is sure that they are connected and that pairs are neighbours.
 * @param {Shape} shape @param {import("./engine.js").Engine} engine @returns {import("./engine.js").Handle}
 */
export function surveyed(shape, engine) {
  const nodes = engine.copy(shape.nodes, 2);
  const [neighbours, part] = engine.results(2, (result) => engine.calls.survey(engine.table([nodes]), result));
  const parts = engine.integers(part), around = engine.integers(neighbours, 6);
  const point = (/** @type {number} */ node) => `(${shape.nodes[2 * node]}, ${shape.nodes[2 * node + 1]})`;
  const stray = parts.findIndex((one) => one > 0);
  if (stray >= 0) throw new InputError(`the nodes form separate parts; one of them contains ${point(stray)}`);
  const taken = new Set();
  for (let i = 0; i < shape.expanded.length; i += 2) {
    const [first, second] = [shape.expanded[i], shape.expanded[i + 1]];
    if (!around.subarray(6 * first, 6 * first + 6).includes(second)) {
      throw new InputError(`the nodes ${point(first)} and ${point(second)} of an expanded particle are not adjacent`);
    }
    for (const node of [first, second]) {
      if (taken.has(node)) throw new InputError(`expanded particles overlap: the node ${point(node)} belongs to two of them`);
      taken.add(node);
    }
  }
  return neighbours;
}
