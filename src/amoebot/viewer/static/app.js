// @ts-check
// The viewer: canvas, panels, time. The page, the film and the notebook all mount this.

import { Backdrop } from "./backdrop.js";
import { Camera } from "./camera.js";
import { Charts } from "./charts.js";
import { count, h, pen } from "./dom.js";
import { clear, draw } from "./draw.js";
import { Explorer } from "./explorer.js";
import { Inspector } from "./inspect.js";
import { Layers } from "./layers.js";
import { Marks } from "./marks.js";
import { Moment } from "./moment.js";
import { Motion } from "./motion.js";
import { Player } from "./player.js";
import { Sketch } from "./sketch.js";
import { SpaceTime } from "./space_time.js";
import { decodeStage, nearestNode, nodeAt } from "./stage.js";
import { Timebar } from "./timebar.js";
import { Walk } from "./walk.js";

/** @typedef {import("./types").Stage} Stage */

// Up to this width in pixels, panels are sheets below the picture.
const NARROW = 900;

export class App {
  /** @param {HTMLElement} root @param {import("./types").Source} source */
  constructor(root, source, { compact = false } = {}) {
    this.source = source;
    this.selected = -1;
    /** What the pointer is over, in the picture or in the diagram; -1 for nothing. */
    this.pointed = { particle: -1, agent: -1 };
    /** @type {import("./types").Survey | null} */
    this.survey = null;
    /** @type {import("./editor.js").Editor | null} */
    this.editor = null;
    // Until a run is loaded, there is none of these.
    /** @type {Stage} */
    this.stage = /** @type {any} */ (null);
    /** @type {Moment} */
    this.moment = /** @type {any} */ (null);
    /** @type {Layers} */
    this.layers = /** @type {any} */ (null);
    /** @type {Marks} */
    this.marks = /** @type {any} */ (null);
    this.backdrop = new Backdrop();
    this.sketch = new Sketch(() => this.redraw());
    this.touched = false;
    this.due = this.resting = this.saying = 0;
    /** @type {[layer: string, on: boolean][]} layers that are shown or hidden at first */
    this.look = [];
    /** @type {((now: Uint8Array) => number[]) | null} the particles that the light is on */
    this.spotlight = null;
    /** @type {((particle: number) => boolean) | null} who wants to know which particle the reader points to */
    this.onpick = null;
    this.onload = () => {};
    this.onmoment = () => {};
    this.onrest = async () => {};
    this.canvas = h("canvas", { class: "picture", tabIndex: 0, "aria-label": "The particle system", "data-test": "picture" });
    this.player = new Player(source, (buffer) => this.show(buffer));
    this.player.onerror = (error) => this.say(error.message);
    this.timebar = new Timebar(this.player, this);
    this.inspector = new Inspector(this);
    this.charts = new Charts((round) => this.player.seek(round));
    this.title = h("p", { class: "title" });
    this.header = h("header", { class: "top" }, h("h1", {}, "amoebot"), this.title);
    this.notice = h("div", { class: "notice", role: "status", "data-test": "notice", hidden: true });
    this.explorer = new Explorer(this);
    this.side = h("aside", { class: "right" }, this.explorer.element, this.inspector.element);
    this.left = h("aside", { class: "left" });
    this.layersButton = h("button", { class: "sheet-button", title: "Layers and legend", "aria-expanded": "false", "data-test": "layers",
      onclick: () => this.toggleLayers() }, "Layers");
    this.walk = new Walk(this);
    this.motion = new Motion(this);
    this.spoken = h("div", { class: "spoken", "aria-live": "polite", "data-test": "spoken" });
    this.spaceTime = new SpaceTime(this);
    this.spaceTimeButton = h("button", { title: "Unroll the boundary: agents across, rounds down (u)", "data-test": "space-time",
      hidden: !source.live, onclick: () => this.toggleSpaceTime() }, "Space-time");
    this.movesButton = h("button", { title: "What each particle would do next (m)", "data-test": "moves-button",
      hidden: !source.live, onclick: () => this.toggleExplorer() }, "Moves");
    this.timebar.speedLabel.before(this.movesButton, this.spaceTimeButton, this.layersButton);
    this.centre = h("main", {}, this.canvas, this.spaceTime.element, this.notice, this.spoken);
    this.element = h("div", { class: compact ? "amoebot compact" : "amoebot" },
      this.header, this.left, this.centre, this.side,
      h("div", { class: "bottom" },
        h("div", { class: "account" }, this.timebar.readout, this.charts.legend),
        this.charts.element, this.timebar.element));
    root.append(this.element);
    this.camera = new Camera(this.canvas, () => this.moved());
    this.dark = globalThis.matchMedia?.("(prefers-color-scheme: dark)").matches ?? false;
    this.setTheme(this.dark);
    this.canvas.addEventListener("click", (event) => this.click(event));
    this.canvas.addEventListener("dblclick", (event) => this.camera.zoom(1.6, event.offsetX, event.offsetY));
    this.canvas.addEventListener("pointerup", () => { this.touched ||= this.camera.moved; });
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => this.pointAt(-1));
    this.canvas.addEventListener("wheel", () => { this.touched = true; }, { passive: true });
    new ResizeObserver(() => this.resized()).observe(this.canvas);
    new ResizeObserver(() => this.arrange()).observe(this.element);
    this.arrange();
  }

  // Panels beside the picture need room: a telephone, a figure and one of two elections have none.
  arrange() {
    const { classList, clientWidth } = this.element;
    classList.toggle("narrow", clientWidth <= NARROW || classList.contains("beside"));
  }

  // End the run and everything that it has: a worker, or a connection.
  close() {
    this.player.pause();
    this.element.remove();
    this.source.close();
  }

  /** @param {boolean} dark */
  setTheme(dark) {
    this.dark = dark;
    this.element.dataset.theme = dark ? "dark" : "light";
    this.redraw();
  }

  /** @returns {import("./types").Colours} */
  get colours() {
    return this.stage?.themes[this.dark ? "dark" : "light"] || { paper: this.dark ? "#10151b" : "#ffffff" };
  }

  // A new run: what never changes about it, then its first moment.
  /** @param {ArrayBuffer} buffer @param {{ round: number, position: number } | null} moment */
  async load(buffer, moment = null) {
    this.player.pause();
    const before = this.stage, chosen = this.layers?.chosen;
    this.stage = decodeStage(buffer);
    this.moment = new Moment(this.stage);
    this.marks = new Marks(this.stage);
    this.layers = new Layers(this.stage, this.marks, () => this.redraw(), () => this.toggleLayers(false));
    this.layers.choose(this.look);
    if (before?.title === this.stage.title) this.layers.chosen = chosen;
    this.left.replaceChildren(this.layers.element);
    this.survey = null;
    this.spaceTime.forget();
    this.timebar.key = "";
    this.selected = -1;
    this.spotlight = this.onpick = null;
    this.motion.stop();
    this.inspector.select(-1);
    this.titleText();
    this.touched = false;
    this.sketch.forget();
    this.fit();
    await this.player.ask({ do: "look" });
    if (moment && (moment.round || moment.position)) await this.player.seek(moment.round, moment.position);
    if (this.stage.note) this.say(this.stage.note);
    if (this.stage.note && this.stage.by_hand) this.toggleExplorer(true); // a counterexample
    this.onload();
    this.watchSurvey();
    if (this.spaceTime.open) this.spaceTime.watch();
    this.rested();
  }

  titleText() {
    const { stage } = this;
    const inner = stage.boundaries.length - 1, length = (stage.boundaries[0]?.[1] ?? 0).toLocaleString("en");
    this.title.replaceChildren(h("strong", {}, stage.name),
      ` ${count(stage.particles, "particle")}, ${count(stage.agents, "agent")}, L = ${length}` +
      `${inner > 0 ? `, ${count(inner, "inner boundary", "inner boundaries")}` : ""} · ${runText(stage)}`);
    this.title.title = this.title.textContent ?? "";
  }

  /** @param {import("./types").Answer} answer */
  show(answer) {
    if (!(answer instanceof ArrayBuffer) && !Array.isArray(answer)) return null;
    const before = this.motion.before();
    this.moment.read(answer);
    if (before) this.motion.start(before);
    else this.motion.stop();
    this.timebar.update();
    this.inspector.render();
    this.redraw();
    this.onmoment();
    if (!this.player.playing && this.player.until === null) this.rested();
    return this.moment;
  }

  // Time stands still: there is leisure to look closer, and a moment worth an address.
  rested() {
    if (!this.moment) return;
    clearTimeout(this.resting);
    this.resting = window.setTimeout(() => { this.inspector.update(); this.explorer.update(); this.tell(); this.onrest(); }, 30);
  }

  // For who does not see the picture: where the run stands, and what is known of the particle chosen.
  tell() {
    const { readout } = this.timebar, about = this.selected < 0 ? "" : this.inspector.summary();
    this.spoken.textContent = [...[...readout.children].map((part) => part.textContent), about].filter(Boolean).join(". ");
  }

  total() {
    return Math.max(1, this.survey?.rounds ?? 0, this.moment?.round ?? 0);
  }

  // The whole run is computed in the background: ask how far that is, until it is done.
  async watchSurvey() {
    const stage = this.stage;
    for (let wait = 40; this.stage === stage; wait = Math.min(700, wait * 1.6)) {
      try {
        const survey = await this.source.ask({ do: "survey" });
        if (this.stage !== stage) return;
        this.survey = survey;
        this.timebar.mark(survey);
        this.timebar.update();
        this.redraw();
        if (survey.done) return;
      } catch { return; }
      await new Promise((next) => setTimeout(next, wait));
    }
  }

  /** @param {number} particle @param {number[]} [coins] how they fall; by default as the seed says */
  async activate(particle, coins) {
    this.player.pause();
    await this.player.ask({ do: "activate", particle, ...(coins?.length ? { coins } : {}) });
    this.spaceTime.forget();
    if (this.spaceTime.open) this.spaceTime.watch();
    this.watchSurvey();
    this.inspector.update();
  }

  // Let a particle crash, or corrupt its memory, now. The run is another one from here on.
  /** @param {number} particle @param {string} kind */
  async harm(particle, kind) {
    this.player.pause();
    const { round, position } = this.moment, { x, y, scale } = this.camera;
    const buffer = await this.source.ask({ do: "fault", particle, kind }).catch((error) => this.say(error.message));
    if (!buffer) return;
    await this.load(buffer, { round, position });
    Object.assign(this.camera, { x, y, scale });
    this.select(particle);
  }

  /** @param {number} particle */
  select(particle) {
    this.selected = particle;
    this.inspector.select(particle);
    this.element.classList.toggle("inspecting", particle >= 0);
    if (this.moment?.version && !this.player.playing) this.tell();
    this.redraw();
  }

  /** @param {MouseEvent} event */
  click(event) {
    if (this.editor || this.camera.moved || !this.stage) return;
    const node = nodeAt(this.stage, ...nearestNode(...this.camera.planeOf(event)));
    const particle = node < 0 ? -1 : this.stage.particle_of_node[node];
    if (particle < 0 || !this.onpick?.(particle)) this.select(particle);
  }

  /** @param {number} particle */
  pointAt(particle, agent = -1) {
    if (this.pointed.particle === particle && this.pointed.agent === agent) return;
    this.pointed = { particle, agent };
    this.redraw();
  }

  // In the picture, the pointer shows where its particle's agents are in the diagram.
  /** @param {PointerEvent} event */
  hover(event) {
    if (!this.spaceTime.open || this.editor || !this.stage) return;
    const node = nodeAt(this.stage, ...nearestNode(...this.camera.planeOf(event)));
    this.pointAt(node < 0 ? -1 : this.stage.particle_of_node[node]);
  }

  // The view is another one from now on.
  moved() {
    if (this.editor) this.redraw();
    else this.sketch.move(this.canvas);
  }

  resize() {
    this.moved(); // what is drawn is kept first: a canvas of another size is blank
    this.camera.resize();
  }

  fit() {
    this.resize();
    if (this.stage) this.camera.fit(this.editor ? this.editor.box() : this.stage.box);
  }

  resized() {
    const first = this.camera.width <= 1;
    this.resize();
    if (first || !this.touched) this.fit();
  }

  redraw() {
    if (this.due) return;
    this.due = requestAnimationFrame(() => { this.due = 0; this.paint(); });
  }

  paint() {
    const { stage, moment, camera, colours, marks, selected } = this;
    const ctx = pen(this.canvas);
    if (this.editor) { this.editor.draw(ctx); return; }
    if (this.sketch.paint(ctx, camera, colours.paper)) return;
    if (!stage) { clear(ctx, colours.paper); return; }
    const layers = this.layers.active(moment.phase);
    this.layers.render(moment.phase, colours);
    const showLatest = this.player.tempo.unit === "activations" || !this.player.playing;
    const { backdrop, motion, pointed, spotlight } = this, { scheduled } = this.explorer;
    const lit = spotlight?.(moment.units) ?? [];
    const units = draw(ctx, { stage, moment, marks, camera, layers, backdrop, colours, selected, pointed, scheduled, showLatest, motion, lit });
    this.sketch.note(units, camera);
    if (motion.flights.length) this.redraw();
    this.spaceTime.draw(colours, layers);
    const now = moment.round + (moment.position ? 0.5 : 0);
    this.charts.draw(this.survey, this.total(), now, colours, stage);
    this.canvas.dataset.painted = String(moment.version);
  }

  /** @param {string} message */
  say(message, seconds = 8) {
    clearTimeout(this.saying);
    this.notice.hidden = !message;
    this.notice.replaceChildren(h("span", {}, message),
      h("button", { class: "close", title: "Close", onclick: () => this.say("") }, "×"));
    if (message) this.saying = window.setTimeout(() => this.say(""), seconds * 1000);
  }

  // Say what is being waited for: a server that has just been started takes some seconds to answer.
  /** @template T @param {Promise<T>} answer @returns {Promise<T>} */
  async patiently(answer) {
    let isTold = false;
    const patience = setTimeout(() => { isTold = true; this.say("Opening the run …", 3600); }, 400);
    try {
      const found = await answer;
      if (isTold) this.say(""); // nothing else would take the notice away; a refusal takes its place
      return found;
    } finally {
      clearTimeout(patience);
    }
  }

  toggleLayers(on = !this.element.classList.contains("listing")) {
    this.element.classList.toggle("listing", on);
    this.layersButton.setAttribute("aria-expanded", String(on));
  }

  toggleSpaceTime() {
    if (!this.source.live || !this.stage?.agents) return;
    this.spaceTime.toggle();
    this.spaceTimeButton.classList.toggle("on", this.spaceTime.open);
  }

  toggleExplorer(open = !this.explorer.open) {
    if (!this.source.live || !this.stage) return;
    this.explorer.toggle(open);
    this.movesButton.classList.toggle("on", open);
  }

  togglePanels() {
    this.element.classList.toggle("bare");
    requestAnimationFrame(() => this.fit());
  }

}

/** What run it is beside its shape: seed, election, and all that is not as usual. @param {Stage} stage */
export function runText({ seed, title, rules, options, defaults, by_hand }) {
  const unusual = Object.entries(options).filter(([name, value]) => !["algorithm", "scheduler"].includes(name) && value !== defaults[name]);
  const words = (/** @type {[string, any]} */ [name, value]) => {
    const plain = name.replaceAll("_", " ");
    return value === true ? plain : value === false ? `--no-${name.replaceAll("_", "-")}` : `${plain} ${value}`;
  };
  return [`seed ${seed}`, title, by_hand ? "by hand" : options.scheduler, ...unusual.map(words), rules ? `rules ${rules}` : ""].filter(Boolean).join(" · ");
}
