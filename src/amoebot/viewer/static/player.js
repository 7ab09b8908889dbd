// @ts-check
// Time: play, pause, step, seek. While one request for a moment is under way another one waits, and the
// last place chosen on the slider wins. Playing asks for the next moment before it draws the present one,
// so that the server does not stand still meanwhile.

/** @typedef {import("./moment.js").Moment} Moment */
/** @typedef {{ unit: "activations" | "rounds", rate: number }} Speed */
/** @typedef {Record<string, any>} Request */

/** @type {Speed[]} */
export const SPEEDS = [
  ...[1, 2, 5, 10, 30, 100].map((rate) => /** @type {Speed} */ ({ unit: "activations", rate })),
  ...[1, 2, 5, 10, 20, 50, 100, 300, Infinity].map((rate) => /** @type {Speed} */ ({ unit: "rounds", rate })),
];

/** @param {Speed} speed */
export function speedName({ unit, rate }) {
  if (rate === Infinity) return "as fast as it runs";
  return `${rate} ${rate === 1 ? unit.slice(0, -1) : unit} a second`;
}

export class Player {
  /** @param {import("./types").Source} source @param {(answer: any) => Moment | null} show */
  constructor(source, show) {
    this.source = source;
    this.show = show;
    this.playing = this.busy = this.held = false;
    this.speed = SPEEDS[8];
    this.onchange = () => {};
    /** @type {(error: any) => void} */
    this.onerror = () => {};
    /** @type {string | null} what a run without pause goes on to: a phase, the leader */
    this.until = null;
    /** @type {{ request: Request, done: (moment: Promise<Moment | null> | null) => void } | null} what waits for the one under way */
    this.wanted = null;
    /** @type {Request | null} the request whose answer is shown */
    this.answered = null;
    /** @type {Speed | null} a speed other than the one chosen, up to the round to stop at */
    this.pace = null;
    this.stopAt = Infinity;
    this.arrived = () => {};
    this.round = 0; // that is shown
    this.owed = this.last = this.frame = 0;
  }

  /** The speed at which it plays. */
  get tempo() { return this.pace ?? this.speed; }

  /** Go to a moment; null if another request took this one's place, or it failed. @param {Request} request @returns {Promise<Moment | null>} */
  ask(request) {
    if (this.held) return Promise.resolve(null); // another run is being opened
    if (!this.busy) return this.send(request);
    this.wanted?.done(null);
    return new Promise((done) => { this.wanted = { request, done }; });
  }

  /** @param {Request} request @returns {Promise<Moment | null>} */
  async send(request) {
    this.busy = true;
    try {
      const answer = await this.source.ask(request);
      this.answered = request;
      const moment = this.show(answer);
      this.round = moment?.round ?? 0;
      return moment;
    } catch (error) {
      this.pause();
      this.onerror(error);
      return null;
    } finally {
      this.busy = false;
      const next = this.wanted;
      this.wanted = null;
      next?.done(this.ask(next.request));
    }
  }

  play() {
    if (this.playing || this.held) return;
    this.playing = true;
    this.until = null;
    this.owed = 1;
    this.last = performance.now();
    this.onchange();
    this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  pause() {
    this.playing = false;
    this.until = this.pace = null;
    this.stopAt = Infinity;
    cancelAnimationFrame(this.frame);
    this.arrived();
    this.arrived = () => {};
    this.onchange();
  }

  /** Play on to a round; done when it is there, or was stopped before. @param {number} round @param {Speed} speed @returns {Promise<void>} */
  playTo(round, speed) {
    this.pause();
    this.play();
    if (!this.playing) return Promise.resolve();
    this.pace = speed;
    this.stopAt = round;
    return new Promise((done) => { this.arrived = done; });
  }

  toggle() {
    if (this.playing || this.until) this.pause();
    else this.play();
  }

  /** @param {number} now */
  tick(now) {
    // Before the picture is drawn, so that its drawing and the next answer go on at the same time.
    this.frame = requestAnimationFrame((next) => this.tick(next));
    const { unit, rate } = this.tempo;
    // After a hidden tab comes back, do not make up for all the time it was away.
    this.owed += Math.min(0.25, (now - this.last) / 1000) * (rate === Infinity ? 0 : rate);
    this.last = now;
    if (this.busy) return;
    if (this.round >= this.stopAt) { this.pause(); return; }
    const whole = Math.min(Math.floor(this.owed), this.stopAt - this.round);
    if (rate === Infinity) this.playNext({ do: "run", until: "end", milliseconds: 30 });
    else if (whole >= 1) this.playNext({ do: "step", [unit]: whole, milliseconds: 200 });
    this.owed -= whole;
  }

  /** @param {Request} request */
  async playNext(request) {
    const moment = await this.send(request);
    if (this.playing && moment?.finished) this.pause();
  }

  // Run on until something happens, showing moments on the way.
  /** @param {string} until @param {number} [phase] */
  async runTo(until, phase) {
    this.pause();
    this.until = until;
    this.onchange();
    while (this.until === until) {
      const moment = await this.ask({ do: "run", until, phase, milliseconds: 60 });
      if (!moment || moment.reached || moment.finished) break;
      await new Promise((next) => requestAnimationFrame(next));
    }
    if (this.until === until) this.pause();
  }

  /** @param {Speed["unit"]} unit */
  step(unit) {
    this.pause();
    return this.ask({ do: "step", [unit]: 1 });
  }

  /** @param {Speed["unit"]} unit */
  back(unit) {
    this.pause();
    return this.ask({ do: "back", unit: unit.slice(0, -1) });
  }

  /** @param {number} round */
  seek(round, position = 0) {
    this.pause();
    return this.ask({ do: "goto", round, position });
  }
}
