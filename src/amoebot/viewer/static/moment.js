// A moment of a run. Its bytes are described in render/frames.py, and this reads them.

const RECORD = 24, HEADER = 40, DELTA = 2;
export const FINISHED = 1, BY_HAND = 2, REACHED = 4;
export const NON_CANDIDATE = 1, CANDIDATE = 2;
export const DRAW = 1, DRAWN = 2, COMPLETE = 7;
export const OUTCOMES = [null, "leader", "no-candidates", "tied-identifiers"];
export const TOKEN = { digit: 0xff, active: 1 << 8, delimiter: 1 << 9, result: 10 };

export class Moment {
  constructor(stage) {
    this.stage = stage;
    this.agents = new Uint8Array(stage.agents * RECORD);
    this.words = new Uint16Array(this.agents.buffer);
    this.particles = new Uint8Array(stage.options.terminate ? stage.particles : 0);
    this.version = 0;
    Object.assign(this, { round: 0, position: 0, phase: 0, candidates: 0, flags: 0 });
    Object.assign(this, { outcome: null, leader: -1, latest: -1, activations: 0 });
  }

  read(buffer) {
    Object.assign(this, readHead(buffer));
    const [kind, agents, particles] = [this.kind, this.changedAgents, this.changedParticles];
    let at = HEADER;
    const bytes = new Uint8Array(buffer);
    if (kind === DELTA) {
      const which = new Uint32Array(buffer, at, agents);
      at += 4 * agents;
      for (let i = 0; i < agents; i++, at += RECORD) {
        this.agents.set(bytes.subarray(at, at + RECORD), which[i] * RECORD);
      }
      const told = new Uint32Array(buffer, at, particles);
      at += 4 * particles;
      for (let i = 0; i < particles; i++) this.particles[told[i]] = bytes[at + i];
    } else {
      this.agents.set(bytes.subarray(at, at + agents * RECORD));
      at += agents * RECORD;
      this.particles.set(bytes.subarray(at, at + particles));
    }
    this.version++;
  }

  get finished() { return (this.flags & FINISHED) !== 0; }
  get byHand() { return (this.flags & BY_HAND) !== 0; }
  get reached() { return (this.flags & REACHED) !== 0; }

  role(a) { return this.agents[a * RECORD] & 3; }
  isCandidate(a) { return (this.agents[a * RECORD] & 3) === CANDIDATE; }
  head(a) { return (this.agents[a * RECORD] & 4) !== 0; }
  marked(a) { return (this.agents[a * RECORD] & 8) !== 0; }
  created(a) { return (this.agents[a * RECORD] & 16) !== 0; }
  frozen(a) { return (this.agents[a * RECORD] & 128) !== 0; }
  digit(a) { return this.agents[a * RECORD + 1]; }
  reversedDigit(a) { return this.agents[a * RECORD + 2]; }
  setup(a) { return this.agents[a * RECORD + 3] & 7; }
  carried(a) { return this.agents[a * RECORD + 4]; }
  oldest(a) { return this.words[a * 12 + 4]; }
  newest(a) { return this.words[a * 12 + 5]; }
  coin(a, shift) { return (this.agents[a * RECORD + 7] >> shift) & 3; }
  // The lanes of the second algorithm are those at the end of the record.
  axis(a, second, y) { return this.words[a * 12 + (second ? 9 : 6) + y]; }
  identification(a, second) {
    const bit = second ? this.agents[a * RECORD + 16] >> 6 : this.agents[a * RECORD + 5] >> 4;
    return (bit & 1) !== 0;
  }
  angle(a, second) { return this.agents[a * RECORD + (second ? 17 : 6)] & 7; }
  isSecondCandidate(a) { return (this.agents[a * RECORD + 16] & 3) === CANDIDATE; }
  record(a) { return this.agents.slice(a * RECORD, (a + 1) * RECORD); }

  // Who has drawn a digit: in a segment, everyone up to where its setup token has been. Once that
  // has been everywhere, it is no longer drawing and all have one.
  drawn() {
    if (this.drawnVersion === this.version) return this.hasDigit;
    const has = (this.hasDigit = new Uint8Array(this.stage.agents));
    for (const [first, length] of this.stage.boundaries) {
      const heads = [];
      for (let i = 0; i < length; i++) if (this.head(first + i)) heads.push(i);
      heads.forEach((begin, which) => {
        const end = which + 1 < heads.length ? heads[which + 1] : heads[0] + length;
        let drawn = end;
        for (let i = begin; i < end; i++) {
          const setup = this.setup(first + (i % length));
          if (setup === DRAW || setup === DRAWN) drawn = i + (setup === DRAWN ? 1 : 0);
        }
        for (let i = begin; i < drawn; i++) has[first + (i % length)] = 1;
      });
    }
    this.drawnVersion = this.version;
    return has;
  }
}

export function readHead(buffer) {
  const view = new DataView(buffer);
  return {
    kind: view.getUint8(0),
    flags: view.getUint8(1),
    outcome: OUTCOMES[view.getUint8(2)],
    phase: view.getUint8(3),
    round: view.getUint32(4, true),
    position: view.getUint32(8, true),
    candidates: view.getUint32(12, true),
    leader: view.getUint32(16, true) - 1,
    latest: view.getUint32(20, true) - 1,
    activations: view.getFloat64(24, true),
    changedAgents: view.getUint32(32, true),
    changedParticles: view.getUint32(36, true),
  };
}

// The parts of the word that holds the tokens of one axis.
export function axisParts(word) {
  return {
    activation: word & 7,
    heading: (word >> 3) & 7,
    next: (word >> 6) & 3,
    positive: { held: (word >> 8) & 3, settled: (word >> 10) & 3 },
    negative: { held: (word >> 12) & 3, settled: (word >> 14) & 3 },
  };
}
