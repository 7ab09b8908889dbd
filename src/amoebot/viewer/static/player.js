// Time: play, pause, step, seek. Only one request for a moment is under way at any time, so a slow
// run is asked for less often, and the last place the reader chose on the slider wins.

export const SPEEDS = [
  ...[1, 2, 5, 10, 30, 100].map((rate) => ({ unit: "activations", rate })),
  ...[1, 2, 5, 10, 20, 50, 100, 300].map((rate) => ({ unit: "rounds", rate })),
  { unit: "rounds", rate: Infinity },
];

export function speedName({ unit, rate }) {
  if (rate === Infinity) return "as fast as it runs";
  return `${rate} ${rate === 1 ? unit.slice(0, -1) : unit} a second`;
}

export class Player {
  constructor(source, show) {
    Object.assign(this, { source, show, playing: false, busy: false, speed: SPEEDS[8] });
    this.onchange = () => {};
    this.onerror = () => {};
    this.until = null; // what a run without pause goes on to: a phase, the leader
    this.wanted = null; // a request that waits for the one under way
    this.owed = 0;
  }

  async ask(request) {
    if (this.busy) {
      this.wanted = request;
      return null;
    }
    this.busy = true;
    try {
      const moment = this.show(await this.source.ask(request));
      return moment;
    } catch (error) {
      this.pause();
      this.onerror(error);
      return null;
    } finally {
      this.busy = false;
      const next = this.wanted;
      this.wanted = null;
      if (next) await this.ask(next);
    }
  }

  play() {
    if (this.playing) return;
    this.playing = true;
    this.until = null;
    this.owed = 1;
    this.last = performance.now();
    this.onchange();
    requestAnimationFrame((now) => this.tick(now));
  }

  pause() {
    this.playing = false;
    this.until = null;
    this.onchange();
  }

  toggle() {
    if (this.playing || this.until) this.pause();
    else this.play();
  }

  async tick(now) {
    if (!this.playing) return;
    const { unit, rate } = this.speed;
    // After a hidden tab comes back, do not make up for all the time it was away.
    this.owed += Math.min(0.25, (now - this.last) / 1000) * (rate === Infinity ? 0 : rate);
    this.last = now;
    const whole = Math.floor(this.owed);
    if (!this.busy && (rate === Infinity || whole >= 1)) {
      this.owed -= whole;
      const request = rate === Infinity
        ? { do: "run", until: "end", milliseconds: 30 }
        : { do: "step", [unit]: whole, milliseconds: 200 };
      const moment = await this.ask(request);
      if (moment && moment.finished) this.pause();
    }
    requestAnimationFrame((next) => this.tick(next));
  }

  // Run on until something happens, showing moments on the way.
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

  step(unit) {
    this.pause();
    return this.ask({ do: "step", [unit]: 1 });
  }

  back(unit) {
    this.pause();
    return this.ask({ do: "back", unit: unit.slice(0, -1) });
  }

  seek(round, position = 0) {
    this.pause();
    return this.ask({ do: "goto", round, position });
  }
}
