// @ts-check
// Two elections on the same shape, side by side and in step: whichever the reader moves in time, the
// other one follows to the same moment, or to its end if that comes before.

/** @typedef {import("./app.js").App} App */

export class Beside {
  /** @param {App} app @param {App} other */
  constructor(app, other) {
    this.apps = [app, other];
    /** @type {WeakSet<object>} what one was asked for because the other one is there */
    this.following = new WeakSet();
    for (const each of this.apps) {
      each.element.classList.add("beside");
      each.element.parentElement?.classList.add("pair");
      each.arrange();
      requestAnimationFrame(() => each.fit());
    }
  }

  // Both have a run: from now on they are in step.
  start() {
    const [app, other] = this.apps;
    for (const [one, two] of [[app, other], [other, app]]) one.onmoment = () => this.lead(one, two);
    return this.lead(app, other);
  }

  /** @param {App} one @param {App} other */
  async lead(one, other) {
    if (one.player.answered && this.following.has(one.player.answered)) return;
    const { round, position, finished } = one.moment, request = { do: "goto", round, position };
    const { playing } = one.player; // at its end it pauses
    this.following.add(request);
    if (other.player.playing) other.player.pause();
    await other.player.ask(request);
    if (finished && playing && !other.moment.finished) {
      one.player.pause(); // the other one goes on alone
      other.player.speed = one.player.speed;
      other.player.play();
    }
  }

  close() {
    for (const app of this.apps) {
      app.onmoment = () => {};
      app.element.classList.remove("beside");
      app.element.parentElement?.classList.remove("pair");
      app.arrange();
    }
    this.apps[1].close();
    requestAnimationFrame(() => this.apps[0].fit());
  }
}
