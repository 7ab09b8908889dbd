// @ts-check
// A run's address: all that it is, after the #, to be bookmarked and sent. Its words are those of the
// options, and what is as usual is left out.

/** @typedef {import("./types").Run} Run */
/** @typedef {import("./types").Options} Options */
/** @typedef {{ round: number, position: number }} When */

// What is not an option of the run.
const OTHERS = ["shape", "shape_seed", "seed", "rules", "round", "position", "beside"];

/** @param {Run} run @param {When | null} moment @param {Options} defaults */
export function toAddress(run, moment, defaults) {
  const given = new URLSearchParams();
  if (typeof run.shape === "string" && !run.schedule) {
    given.set("shape", run.shape);
    if (Number(run.shape_seed)) given.set("shape_seed", String(run.shape_seed));
    given.set("seed", String(run.seed));
    for (const [name, value] of Object.entries(run.options)) {
      if (value !== defaults[name]) given.set(name, String(value));
    }
    if (run.rules) given.set("rules", `${run.rules.name}:${run.rules.digest}`);
  } else {
    given.set("run", pack(JSON.stringify(run)));
  }
  if (moment?.round) given.set("round", String(moment.round));
  if (moment?.position) given.set("position", String(moment.position));
  return `#${given.toString().replaceAll("%3A", ":").replaceAll("%2C", ",")}`;
}

/** @param {string} hash @returns {{ run: Run, moment: When } | null} */
export function fromAddress(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const moment = { round: whole(given.get("round")), position: whole(given.get("position")) };
  const packed = given.get("run"), shape = given.get("shape");
  if (packed !== null) return { run: JSON.parse(unpack(packed)), moment };
  if (shape === null) return null;
  const own = [...given].filter(([name]) => !OTHERS.includes(name));
  const options = Object.fromEntries(own.map(([name, text]) => [name, literal(text)]));
  const run = { shape, shape_seed: given.get("shape_seed") || "0", seed: given.get("seed") || "0", options };
  const [name, digest] = (given.get("rules") ?? "").split(":");
  return { run: name ? { ...run, rules: { name, digest } } : run, moment };
}

/** @param {string} text */
function literal(text) {
  if (text === "true" || text === "false") return text === "true";
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** @param {string | null} text */
function whole(text) {
  const number = Number(text);
  return Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

/** @param {string} text */
function pack(text) {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text */
function unpack(text) {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}
