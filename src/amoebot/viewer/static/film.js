// A source of moments that were recorded beforehand: it answers as the server does, with what the
// film has. The recording is described in viewer/film_page.py.

import { Moment, readHead, REACHED } from "./moment.js";
import { decodeStage } from "./stage.js";

const HEADER = 40, FULL = 1;

export async function unpackFilm(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(stream).arrayBuffer();
  const view = new DataView(buffer), parts = [];
  for (let at = 0; at < buffer.byteLength; ) {
    const length = view.getUint32(at, true);
    parts.push(buffer.slice(at + 4, at + 4 + length)); // a copy, so that it begins at a round address
    at += 4 + length;
  }
  return parts;
}

export class FilmSource {
  constructor([stage, survey, ...frames]) {
    this.live = false;
    this.stageBuffer = stage;
    this.survey = JSON.parse(new TextDecoder().decode(survey));
    this.frames = frames;
    this.heads = frames.map(readHead);
    this.moment = new Moment(decodeStage(stage));
    this.at = -1;
    this.go(0);
  }

  async ask(request) {
    switch (request.do) {
      case "survey": return this.survey;
      case "look": return this.frame(false);
      case "step": this.step(request); return this.frame(false);
      case "back": this.back(request.unit); return this.frame(false);
      case "goto": this.go(this.find(request.round, request.position || 0)); return this.frame(false);
      case "run": return this.frame(this.run(request));
      default: throw new Error("A film can only be watched.");
    }
  }

  // Build up a moment from the last full frame before it.
  go(wanted) {
    const target = Math.max(0, Math.min(this.frames.length - 1, wanted));
    let from = this.at + 1;
    if (target <= this.at || target - this.at > 64) {
      from = target;
      while (from > 0 && this.heads[from].kind !== FULL) from--;
    }
    for (let i = from; i <= target; i++) this.moment.read(this.frames[i]);
    this.at = target;
  }

  // The last frame that is not after a moment.
  find(round, position) {
    let low = 0, high = this.heads.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1, head = this.heads[middle];
      if (head.round < round || (head.round === round && head.position <= position)) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  step({ activations = 0, rounds = 0 }) {
    if (activations) this.go(this.at + activations);
    if (!rounds) return;
    const next = this.find(this.heads[this.at].round + rounds, 0);
    this.go(next > this.at ? next : this.at + 1);
  }

  back(unit) {
    const { round, position } = this.heads[this.at];
    if (unit === "activation") this.go(this.at - 1);
    else this.go(Math.min(this.at - 1, this.find(position ? round : round - 1, 0)));
  }

  run({ until, phase }) {
    const last = this.frames.length - 1;
    const is = {
      end: () => false,
      leader: (head) => head.outcome !== null,
      phase: (head) => head.phase !== phase,
    }[until];
    const most = until === "end" ? this.at + Math.max(1, Math.round(last / 300)) : last;
    let next = Math.min(last, this.at + 1);
    while (next < most && next < last && !is(this.heads[next])) next++;
    this.go(next);
    return this.at === last || is(this.heads[this.at]);
  }

  // The present moment as a full frame.
  frame(reached) {
    const { agents, particles } = this.moment;
    const bytes = new Uint8Array(HEADER + agents.length + particles.length);
    bytes.set(new Uint8Array(this.frames[this.at], 0, HEADER));
    bytes.set(agents, HEADER);
    bytes.set(particles, HEADER + agents.length);
    const view = new DataView(bytes.buffer);
    view.setUint8(0, FULL);
    view.setUint8(1, (view.getUint8(1) & ~REACHED) | (reached ? REACHED : 0));
    view.setUint32(32, this.moment.stage.agents, true);
    view.setUint32(36, particles.length, true);
    return bytes.buffer;
  }
}
