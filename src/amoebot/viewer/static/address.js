// A run's address: all that it is, after the #, to be bookmarked and sent.

export function toAddress(run, moment) {
  const given = new URLSearchParams();
  const { seed, options, shape } = run;
  if (typeof shape === "string" && !run.schedule) {
    given.set("shape", shape);
    if (run.shape_seed) given.set("shape-seed", run.shape_seed);
    given.set("seed", seed);
    if (options.scheduler !== "permutation") given.set("scheduler", options.scheduler);
    if (options.radix !== 16) given.set("radix", options.radix);
    const variant = variantOf(options);
    if (variant !== "full") given.set("variant", variant);
  } else {
    given.set("run", pack(JSON.stringify(run)));
  }
  if (moment && moment.round) given.set("round", moment.round);
  if (moment && moment.position) given.set("position", moment.position);
  return `#${given.toString().replaceAll("%3A", ":").replaceAll("%2C", ",")}`;
}

export function fromAddress(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const moment = { round: whole(given.get("round")), position: whole(given.get("position")) };
  if (given.has("run")) return { run: JSON.parse(unpack(given.get("run"))), moment };
  if (!given.has("shape")) return null;
  const run = {
    shape: given.get("shape"),
    shape_seed: given.get("shape-seed") || "0",
    seed: given.get("seed") || "0",
    options: {
      scheduler: given.get("scheduler") || "permutation",
      radix: whole(given.get("radix")) || 16,
      ...variantOptions(given.get("variant") || "full"),
    },
  };
  return { run, moment };
}

export const VARIANTS = {
  full: ["Almost sure, all terminate", { almost_sure: true, terminate: true }],
  "almost-sure": ["Almost sure (A.3)", { almost_sure: true, terminate: false }],
  terminate: ["All terminate (A.2)", { almost_sure: false, terminate: true }],
  whp: ["Section 2 alone", { almost_sure: false, terminate: false }],
};

export function variantOf({ almost_sure: sure, terminate }) {
  return sure ? (terminate ? "full" : "almost-sure") : terminate ? "terminate" : "whp";
}

export function variantOptions(name) {
  return { ...(VARIANTS[name] || VARIANTS.full)[1] };
}

function whole(text) {
  const number = Number(text);
  return Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

function pack(text) {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function unpack(text) {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}
