// @ts-check
// Tokens on their way from one agent to another, between two moments that follow each other. What has
// gone from one agent and looks like what has come to another one nearby, has moved there.

/** @typedef {import("./types").Stage} Stage */
/** @typedef {import("./marks.js").Ready} Ready */
/** @typedef {{ unit: number, out: number, side: number, marks: Ready[], look: string, kind: string }} Token what is drawn in one place */
/** @typedef {{ token: Token, path: [x: number, y: number][] }} Flight */

// Agents that a token may pass in one round, with more units than which nothing moves, and the longest
// time that a token is on its way, in milliseconds.
const FAR = 6, MOST = 3000, LONGEST = 650;

// The fastest speeds at which a token's way can be followed, by what they count.
const READABLE = { activations: 30, rounds: 5 };

export class Motion {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    /** @type {Flight[]} */
    this.flights = [];
    /** @type {Map<number, Set<Ready>>} what is not drawn at units, because it is still on its way there */
    this.hidden = new Map();
    this.began = this.lasts = 0;
    this.still = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)");
  }

  /** The memories to start from, if what comes next can be followed. */
  before() {
    const { player, stage, moment } = this.app, { unit, rate } = player.tempo;
    const isReadable = player.playing && rate <= READABLE[unit] && !this.still?.matches;
    return isReadable && stage.units <= MOST && !stage.on_nodes && !this.app.marks.isFar(this.app.camera) ? moment.units.slice() : null;
  }

  /** Let tokens go from where they were. @param {Uint8Array} before */
  start(before) {
    const { player, layers, moment, stage } = this.app, size = stage.formats.unit.size;
    this.stop();
    const shown = layers.active(moment.phase);
    /** @type {Token[]} */
    const gone = [], come = [];
    for (let unit = 0; unit < stage.units; unit++) {
      if (same(before, moment.units, unit * size, size)) continue;
      const [was, is] = [this.tokens(before, unit, shown), this.tokens(moment.units, unit, shown)];
      const key = (/** @type {Token} */ { look, out, side }) => `${look} ${out} ${side}`, old = new Set(was.map(key)), now = new Set(is.map(key));
      gone.push(...was.filter((token) => !now.has(key(token))));
      come.push(...is.filter((token) => !old.has(key(token))));
    }
    this.match(gone, come, "look");
    this.match(gone, come, "kind");
    if (!this.flights.length) return;
    this.began = performance.now();
    this.lasts = Math.min(LONGEST, 920 / player.tempo.rate);
  }

  stop() {
    this.flights = [];
    this.hidden.clear();
  }

  /** How far tokens are on their way, from 0 to 1. */
  get progress() {
    const share = Math.min(1, (performance.now() - this.began) / this.lasts);
    return share * share * (3 - 2 * share);
  }

  /** The tokens that a memory shows at a unit: marks in the same place belong together, and an arrow to what it touches. @param {Uint8Array} bytes @param {number} unit @param {Set<string>} shown */
  tokens(bytes, unit, shown) {
    const { marks, stage } = this.app, { context: c } = marks;
    [c.unit, c.me.bytes, c.me.at] = [unit, bytes, unit * stage.formats.unit.size];
    /** @type {Map<string, Token>} */
    const found = new Map();
    for (const { id, moves } of stage.layers) {
      if (!moves || !shown.has(id)) continue;
      let last = { place: "", out: 0, side: 0, size: 0 };
      for (const mark of marks.layer(id).marks) {
        if (!mark.when(c)) continue;
        const [out, side, size] = [mark.out(c), mark.side(c), mark.size(c)];
        const touches = last.place && Math.hypot(out - last.out, side - last.side) < size + last.size;
        const place = mark.form === "arrow" && touches ? last.place : `${id} ${out} ${side}`;
        last = { place, out, side, size };
        /** @type {Token} */
        const token = found.get(place) ?? { unit, out, side, marks: [], look: id, kind: id };
        found.set(place, token);
        token.marks.push(mark);
        token.look += ` ${mark.form} ${mark.fill(c)} ${mark.stroke(c)} ${mark.text(c)}`;
        token.kind += ` ${mark.form}`;
      }
    }
    return [...found.values()];
  }

  /** Find for what has come where it came from: the nearest that is alike. @param {Token[]} gone @param {Token[]} come @param {"look" | "kind"} by */
  match(gone, come, by) {
    const { pred, succ } = this.app.stage;
    for (let distance = 0; distance <= FAR; distance++) {
      for (const token of [...come]) {
        const ways = [steps(token.unit, pred, distance), steps(token.unit, succ, distance)];
        for (const way of ways) {
          const from = gone.findIndex((one) => one.unit === way[distance] && one[by] === token[by]);
          if (from < 0) continue;
          this.fly(gone[from], token, way.reverse());
          gone.splice(from, 1);
          come.splice(come.indexOf(token), 1);
          break;
        }
      }
    }
  }

  /** @param {Token} from @param {Token} token @param {number[]} units on its way */
  fly(from, token, units) {
    const path = units.map((unit) => this.place(unit, from.out, from.side));
    path[path.length - 1] = this.place(token.unit, token.out, token.side);
    if (path.length === 1) path.unshift(this.place(from.unit, from.out, from.side));
    this.flights.push({ token, path });
    const hidden = this.hidden.get(token.unit) ?? new Set();
    for (const mark of token.marks) hidden.add(mark);
    this.hidden.set(token.unit, hidden);
  }

  /** @param {number} unit @param {number} out @param {number} side @returns {[number, number]} */
  place(unit, out, side) {
    const { px, py, ox, oy, node_of_unit } = this.app.stage, node = node_of_unit[unit];
    return [px[node] + out * ox[unit] - side * oy[unit], py[node] + out * oy[unit] + side * ox[unit]];
  }

  /** Where tokens are on their way to some particles. @param {Set<number>} particles */
  places(particles) {
    const { particle_of_node, node_of_unit } = this.app.stage, { progress } = this;
    return this.flights.filter(({ token }) => particles.has(particle_of_node[node_of_unit[token.unit]])).map(({ path }) => along(path, progress));
  }

  /** Draw what is on its way. Returns whether anything still is. @param {import("./draw.js").Scene} scene */
  draw(scene) {
    if (!this.flights.length) return false;
    const { progress } = this, { marks, moment, stage } = this.app, { context: c } = marks;
    for (const { token, path } of this.flights) {
      [c.unit, c.me.bytes, c.me.at] = [token.unit, moment.units, token.unit * stage.formats.unit.size];
      const [x, y] = along(path, progress), [atX, atY] = this.place(token.unit, token.out, token.side);
      for (const mark of token.marks) {
        const [ownX, ownY] = this.place(token.unit, mark.out(c), mark.side(c));
        marks.markAt(scene, mark, x + ownX - atX, y + ownY - atY);
      }
    }
    if (progress < 1) return true;
    this.stop();
    return false;
  }
}

/** @param {Uint8Array} one @param {Uint8Array} other @param {number} at @param {number} size */
function same(one, other, at, size) {
  for (let i = at; i < at + size; i++) if (one[i] !== other[i]) return false;
  return true;
}

/** A unit and the next N units along a ring. @param {number} unit @param {Int32Array} next @param {number} steps */
function steps(unit, next, steps) {
  const found = [unit];
  for (let i = 0; i < steps; i++) found.push(next[found[i]]);
  return found;
}

/** A place on a path, each part of which takes as long. @param {[number, number][]} path @param {number} share @returns {[number, number]} */
export function along(path, share) {
  const at = share * (path.length - 1), part = Math.min(path.length - 2, Math.floor(at)), rest = at - part;
  const [x, y] = path[part], [nextX, nextY] = path[part + 1];
  return [x + (nextX - x) * rest, y + (nextY - y) * rest];
}
