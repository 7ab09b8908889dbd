// @ts-check
// A moment of a run. Its bytes are described in render/frames.py.

/** @typedef {import("./types").Stage} Stage */
/** @typedef {import("./types").Head} Head */

export class Moment {
  /** @param {Stage} stage */
  constructor(stage) {
    this.stage = stage;
    this.units = new Uint8Array(stage.units * stage.formats.unit.size);
    this.particles = new Uint8Array(stage.options.terminate ? stage.particles * stage.formats.particle.size : 0);
    this.message = stage.formats.particle.reader("message");
    this.terminated = stage.formats.particle.reader("terminated");
    this.version = 0;
    this.particlesVersion = 0; // of the records of particles, which seldom change
    this.round = this.position = this.phase = this.candidates = this.flags = this.activations = 0;
    /** @type {string | null} */
    this.outcome = null;
    this.leader = this.latest = -1;
  }

  // Read a frame, or several, one after another.
  /** @param {ArrayBuffer | ArrayBuffer[]} frames */
  read(frames) {
    for (const frame of Array.isArray(frames) ? frames : [frames]) this.readFrame(new Uint8Array(frame));
    this.version++;
    return this;
  }

  /** @param {Uint8Array} bytes */
  readFrame(bytes) {
    const { formats, frame, outcomes } = this.stage;
    const head = readHead(this.stage, bytes);
    if (head.kind === frame.full) {
      this.units.fill(0);
      this.particles.fill(0);
    }
    const at = readChanges(bytes, formats.head.size, head.units, head.unit_bytes, this.units, formats.unit.size);
    readChanges(bytes, at, head.particles, head.particle_bytes, this.particles, formats.particle.size);
    if (head.kind === frame.full || head.particles) this.particlesVersion++;
    this.round = head.round;
    this.position = head.position;
    this.phase = head.phase;
    this.candidates = head.candidates;
    this.flags = head.flags;
    this.activations = head.activations;
    this.outcome = head.outcome ? outcomes[head.outcome - 1][0] : null;
    this.leader = head.leader - 1;
    this.latest = head.latest - 1;
  }

  get finished() { return (this.flags & this.stage.frame.finished) !== 0; }
  get byHand() { return (this.flags & this.stage.frame.by_hand) !== 0; }
  get reached() { return (this.flags & this.stage.frame.reached) !== 0; }

  /** @param {number} unit */
  record(unit) {
    return { bytes: this.units, at: unit * this.stage.formats.unit.size };
  }

  // 0: nothing yet; 1: the termination message has arrived; 2: terminated.
  /** @param {number} particle */
  stateOf(particle) {
    const at = particle * this.stage.formats.particle.size;
    if (at >= this.particles.length) return 0;
    return this.terminated(this.particles, at) ? 2 : this.message(this.particles, at);
  }

  // The faults that have happened by now.
  get faults() {
    const { round, position, stage } = this;
    return stage.faults.filter(([, , rounds, after]) => rounds < round || (rounds === round && after <= position));
  }

  /** The same moment with the changes of one more frame. @param {ArrayBuffer} frame */
  with(frame) {
    const other = new Moment(this.stage);
    other.units.set(this.units);
    other.particles.set(this.particles);
    return other.read(frame);
  }
}

/** @param {Stage} stage @param {Uint8Array} bytes @returns {Head} */
export function readHead(stage, bytes) {
  return stage.formats.head.read(bytes);
}

// Returns where the changes end.
/**
 * @param {Uint8Array} bytes @param {number} at @param {number} rows @param {number} columns
 * @param {Uint8Array} records @param {number} size
 */
function readChanges(bytes, at, rows, columns, records, size) {
  const places = bytes.subarray(at, at + columns);
  at = filled(at + columns);
  const which = rows * size === records.length ? null : new Uint32Array(bytes.buffer, bytes.byteOffset + at, rows);
  if (which) at += 4 * rows;
  for (const place of places) {
    for (let i = 0; i < rows; i++) records[(which ? which[i] : i) * size + place] = bytes[at++];
  }
  return filled(at);
}

/** @param {number} at */
const filled = (at) => Math.ceil(at / 4) * 4;

/** A frame that came as text. @param {string} text @returns {ArrayBuffer} */
export function fromBase64(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer;
}
