// @ts-check
// Expressions over memories, made once into functions. algorithms/expressions.py says what they mean,
// and evaluates the same ones on arrays.

/** @typedef {import("./types").Compiled} Compiled */
/** @typedef {import("./types").Context} Context */
/** @typedef {import("./types").Value} Value */
/** @typedef {import("./record.js").Format} Format */

const MEMORIES = ["was", "pred", "pred_was", "succ", "succ_was"];

// Conditions are equal to 1 and 0, as they are in Python: hence == and not ===.
/** @type {Record<string, (...given: Compiled[]) => Compiled>} */
const OPERATORS = {
  "==": (a, b) => (c) => a(c) == b(c),
  "!=": (a, b) => (c) => a(c) != b(c),
  "<": (a, b) => (c) => a(c) < b(c),
  "<=": (a, b) => (c) => a(c) <= b(c),
  ">": (a, b) => (c) => a(c) > b(c),
  ">=": (a, b) => (c) => a(c) >= b(c),
  "+": (a, b) => (c) => a(c) + b(c),
  "-": (a, b) => (c) => a(c) - b(c),
  "*": (a, b) => (c) => a(c) * b(c),
  "//": (a, b) => (c) => Math.floor(a(c) / b(c)),
  "%": (a, b) => (c) => { const by = b(c); return ((a(c) % by) + by) % by; },
  "&": (a, b) => (c) => a(c) & b(c),
  "|": (a, b) => (c) => a(c) | b(c),
  "^": (a, b) => (c) => a(c) ^ b(c),
  "<<": (a, b) => (c) => a(c) << b(c),
  ">>": (a, b) => (c) => a(c) >> b(c),
  not: (a) => (c) => !a(c),
  when: (a, b, other) => (c) => (a(c) ? b(c) : other(c)),
  choose: (index, ...values) => (c) => values[Math.max(0, Math.min(values.length - 1, index(c)))](c),
  text: (template, ...values) => (c) => {
    const parts = template(c).split("{}");
    return parts[0] + values.map((value, i) => String(value(c)) + parts[i + 1]).join("");
  },
};

/** @param {Value} value @param {Format} format @returns {Compiled} */
export function compile(value, format) {
  if (!Array.isArray(value)) return () => value;
  const [name, ...operands] = value, [field] = operands;
  if (name === "view") return (c) => c.view[field][c.unit];
  if (name === "option") return (c) => c.option[field];
  if (name === "me") return ofUnit(format.reader(field));
  if (MEMORIES.includes(name)) return ofOther(/** @type {"was"} */ (name), format.reader(field));
  return OPERATORS[name](...operands.map((operand) => compile(operand, format)));
}

// Drawing depends on this one: a name that is known beforehand is looked up faster.
/** @param {import("./record.js").Reader} read @returns {Compiled} */
function ofUnit(read) {
  return (c) => read(c.me.bytes, c.me.at);
}

/** @param {"was"} name @param {import("./record.js").Reader} read @returns {Compiled} */
function ofOther(name, read) {
  return (c) => read(c[name].bytes, c[name].at);
}

// Whether a value is the same for every unit.
/** @param {Value} value */
export const isConstant = (value) => !Array.isArray(value);

/** What expressions about the units of a stage read. @param {import("./types").Stage} stage @returns {Context} */
export function context(stage) {
  const cell = () => ({ bytes: new Uint8Array(stage.formats.unit.size), at: 0 });
  return {
    unit: 0, view: { empty: stage.empty, agent_identifier: stage.agent_identifier, boundary: stage.boundary },
    option: stage.options, me: cell(), was: cell(), pred: cell(), pred_was: cell(), succ: cell(), succ_was: cell(),
  };
}
