// @ts-check
// The bar at the bottom: the slider over all rounds with the milestones on it, buttons, speed.

import { INSET } from "./charts.js";
import { count, h } from "./dom.js";
import { SPEEDS, speedName } from "./player.js";

/** @type {Record<string, string>} */
const ICONS = {
  start: "M4 4h2v12H4zM16 4v12L7 10z",
  roundBack: "M10 4v12L2 10zM18 4v12l-8-6z",
  back: "M4 9h12v2H4zM9 5v10L2 10z",
  play: "M5 3l12 7-12 7z",
  pause: "M4 3h4v14H4zM12 3h4v14h-4z",
  forward: "M4 9h12v2H4zM11 5v10l7-5z",
  roundForward: "M2 4v12l8-6zM10 4v12l8-6z",
  phase: "M3 4v12l6-6zM9 4v12l6-6zM16 4h2v12h-2z",
  leader: "M10 1l2.6 6 6.4.6-4.9 4.2 1.5 6.3L10 14.7 4.4 18.1l1.5-6.3L1 7.6 7.4 7z",
};

/** @param {string} name */
function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

export class Timebar {
  /** @param {import("./player.js").Player} player @param {import("./app.js").App} app */
  constructor(player, app) {
    this.player = player;
    this.app = app;
    this.running = false;
    this.key = "";
    const seek = (/** @type {any} */ { target }) => player.seek(Number(target.value));
    this.slider = h("input", { type: "range", class: "slider", min: 0, max: 1, value: 0, "aria-label": "Round", "data-test": "slider", oninput: seek });
    this.ticks = h("div", { class: "ticks" });
    /** @param {string} name @param {string} title @param {() => void} action @param {string} [text] */
    const button = (name, title, action, text) =>
      h("button", { title, onclick: action, "data-test": name }, icon(name), text ? h("span", {}, text) : null);
    this.play = button("play", "Play or pause (space)", () => player.toggle());
    this.readout = h("div", { class: "readout", "data-test": "readout" });
    this.speedName = h("output", { class: "speed-name" });
    this.speed = h("input", { type: "range", class: "speed", min: 0, max: SPEEDS.length - 1, value: 8, "aria-label": "Speed", "data-test": "speed",
      oninput: (/** @type {any} */ { target }) => this.setSpeed(Number(target.value)) });
    this.speedLabel = h("label", { class: "speed-label" }, h("span", {}, "Speed"), this.speed, this.speedName);
    const buttons = h("div", { class: "buttons" },
        h("div", { class: "group" },
          button("start", "Back to the beginning (Home)", () => player.seek(0)),
          button("roundBack", "One round back (shift + left)", () => player.back("rounds")),
          button("back", "One activation back (left)", () => player.back("activations")),
          this.play,
          button("forward", "One activation forward (right)", () => player.step("activations")),
          button("roundForward", "One round forward (shift + right)", () => player.step("rounds"))),
        h("div", { class: "group" },
          button("phase", "Run to the next phase", () => player.runTo("phase", app.moment.phase), "Next phase"),
          button("leader", "Run to the leader", () => player.runTo("leader"), "Leader")),
        this.speedLabel);
    this.element = h("footer", { class: "timebar" }, h("div", { class: "track" }, this.slider, this.ticks), buttons);
    this.setSpeed(8);
    player.onchange = () => this.update();
  }

  /** @param {number} index */
  setSpeed(index) {
    this.player.speed = SPEEDS[index];
    this.speed.value = String(index);
    this.speedName.textContent = speedName(SPEEDS[index]);
  }

  update() {
    const { player, app } = this;
    const running = player.playing || player.until !== null;
    if (this.running !== running) {
      this.running = running;
      this.play.replaceChildren(icon(running ? "pause" : "play"));
      this.play.dataset.playing = String(running);
      if (!running) app.rested();
    }
    const { moment, stage } = app;
    if (!moment) return;
    this.slider.max = String(app.total());
    this.slider.value = String(moment.round);
    const inside = moment.position ? ` + ${count(moment.position, "activation")}` : "";
    const ended = stage.outcomes.find(([name]) => name === moment.outcome);
    const left = ended ? ended[1] : count(moment.candidates, "candidate");
    this.readout.replaceChildren(
      h("strong", {}, `Round ${moment.round.toLocaleString("en")}${inside}`),
      h("span", {}, [stage.phases[moment.phase][0], left, moment.byHand ? "by hand" : ""].filter(Boolean).join(" · ")));
    const { round, position, phase } = moment;
    Object.assign(this.readout.dataset, { round, position, phase });
  }

  /** @param {import("./types").Survey} survey */
  mark({ milestones }) {
    const total = Math.max(1, this.app.total()), names = this.app.stage.milestones;
    const key = JSON.stringify([milestones, total]);
    if (key === this.key) return;
    this.key = key;
    this.ticks.replaceChildren(...Object.entries(milestones).map(([name, round]) => {
      const tick = h("button", { class: "tick", title: `${names[name]}: round ${round.toLocaleString("en")}`,
        "data-milestone": name, onclick: () => this.player.seek(round) });
      tick.style.left = `calc(${INSET}px + (100% - ${2 * INSET}px) * ${Math.min(1, round / total)})`;
      return tick;
    }));
  }
}
