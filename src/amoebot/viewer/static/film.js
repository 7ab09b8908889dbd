// @ts-check
// A source of moments that were recorded beforehand: it answers as the server does, with what the
// film has. The recording is described in viewer/film_page.py.

import { readHead } from "./moment.js";
import { decodeStage } from "./stage.js";
import { unpackText } from "./unpack.js";

/** @typedef {import("./types").Head} Head */

// Frames between two that can be shown without those before them.
const KEY = 64;

/** @param {string} text @returns {Promise<ArrayBuffer[]>} */
export async function unpackFilm(text) {
  const buffer = await unpackText(text);
  const view = new DataView(buffer), parts = [];
  for (let at = 0; at < buffer.byteLength; ) {
    const length = view.getUint32(at, true);
    parts.push(buffer.slice(at + 4, at + 4 + length)); // a copy, so that it begins at a round address
    at += 4 + length;
  }
  return parts;
}

export class FilmSource {
  /** @param {ArrayBuffer[]} parts */
  constructor([stage, survey, ...frames]) {
    this.live = false;
    this.stageBuffer = stage;
    this.survey = JSON.parse(new TextDecoder().decode(survey));
    this.frames = frames;
    const decoded = decodeStage(stage);
    this.numbers = decoded.frame; // the kinds of frames and their flags
    this.flags = decoded.formats.head.place("flags").offset;
    this.heads = frames.map((frame) => readHead(decoded, new Uint8Array(frame)));
    this.shown = -1; // the frame that the reader knows
    this.at = 0;
  }

  close() {}

  /** @param {Record<string, any>} request */
  async ask(request) {
    switch (request.do) {
      case "survey": return this.survey;
      case "look": this.shown = -1; return this.show();
      case "step": this.step(request); return this.show();
      case "back": this.back(request.unit); return this.show();
      case "goto": this.go(this.find(request.round, request.position || 0)); return this.show();
      case "run": return this.show(this.run(request));
      default: throw new Error("A film can only be watched.");
    }
  }

  /** @param {number} wanted */
  go(wanted) {
    this.at = Math.max(0, Math.min(this.frames.length - 1, wanted));
  }

  // The frames that lead to the present one: from the last known, or from a full one.
  show(reached = false) {
    let from = this.shown + 1;
    if (this.at <= this.shown || this.at - this.shown > KEY || this.shown < 0) {
      from = this.at;
      while (from > 0 && this.heads[from].kind !== this.numbers.full) from--;
    }
    this.shown = this.at;
    const frames = this.frames.slice(from, this.at + 1), last = frames[frames.length - 1].slice(0);
    const flags = this.heads[this.at].flags & ~this.numbers.reached;
    new Uint8Array(last)[this.flags] = flags | (reached ? this.numbers.reached : 0);
    return [...frames.slice(0, -1), last];
  }

  // The last frame that is not after a moment.
  /** @param {number} round @param {number} position */
  find(round, position) {
    let low = 0, high = this.heads.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1, head = this.heads[middle];
      if (head.round < round || (head.round === round && head.position <= position)) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** @param {{ activations?: number, rounds?: number }} request */
  step({ activations = 0, rounds = 0 }) {
    if (activations) this.go(this.at + activations);
    if (!rounds) return;
    const next = this.find(this.heads[this.at].round + rounds, 0);
    this.go(next > this.at ? next : this.at + 1);
  }

  /** @param {string} unit */
  back(unit) {
    const { round, position } = this.heads[this.at];
    if (unit === "activation") this.go(this.at - 1);
    else this.go(Math.min(this.at - 1, this.find(position ? round : round - 1, 0)));
  }

  /** @param {{ until?: string, phase?: number }} request */
  run({ until, phase }) {
    const last = this.frames.length - 1;
    const is = (/** @type {Head} */ head) =>
      until === "leader" ? head.outcome !== 0 : until === "phase" ? head.phase !== phase : (head.flags & this.numbers.finished) !== 0;
    const most = until === "end" ? this.at + Math.max(1, Math.round(last / 300)) : last;
    let next = Math.min(last, this.at + 1);
    while (next < most && next < last && !is(this.heads[next])) next++;
    this.go(next);
    return this.at === last || is(this.heads[this.at]);
  }
}
