// @ts-check
// The viewer: canvas, panels, time. The page, the film and the notebook all mount this.

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
import { SpaceTime } from "./space_time.js";
import { decodeStage, nearestNode, nodeAt } from "./stage.js";
import { Timebar } from "./timebar.js";
import { Walk } from "./walk.js";

/** @typedef {import("./types").Stage} Stage */

const HELP = [
  ["space", "play or pause"], ["← →", "one activation back or forward"],
  ["shift ← →", "one round back or forward"], ["home, end", "the beginning, the leader"],
  ["f", "fit the whole shape"], ["u", "unroll the boundary"], ["m", "list all next moves"], ["h", "hide or show the panels"], ["?", "this help"],
  ["drag, wheel", "move and zoom"], ["click", "read a particle's memory"],
  ["enter, in the picture", "choose a particle; then arrows go to its neighbours, escape ends it"],
];

// Up to this width in pixels, panels are sheets below the picture.
const NARROW = 900;

// With more visible units, drawing takes longer than the time between two frames.
const MANY = 4000;

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
    /** @type {{ image: HTMLCanvasElement, x: number, y: number, scale: number } | null} */
    this.sketch = null; // the last picture, to move along
    /** @type {{ units: number, x: number, y: number, scale: number } | null} what is on the canvas, and from where it is seen */
    this.drawn = null;
    this.sketchDue = this.touched = false;
    this.due = this.settling = this.resting = this.saying = 0;
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

  fit() {
    this.camera.resize();
    if (this.stage) this.camera.fit(this.editor ? this.editor.box() : this.stage.box);
  }

  resized() {
    const first = this.camera.width <= 1;
    this.camera.resize();
    if (first || !this.touched) this.fit();
  }

  redraw() {
    if (this.due) return;
    this.due = requestAnimationFrame(() => { this.due = 0; this.paint(); });
  }

  // The view has moved. Where much is visible, move the last picture along until it comes to rest.
  moved() {
    if (!this.sketchDue) this.keepSketch();
    if (!this.sketch || this.editor) { this.redraw(); return; }
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => { this.sketchDue = false; this.redraw(); }, 90);
    this.sketchDue = true;
    this.redraw();
  }

  /** @param {CanvasRenderingContext2D} ctx @param {NonNullable<App["sketch"]>} sketch */
  paintSketch(ctx, sketch) {
    const { camera, colours } = this, { ratio } = camera;
    const zoom = camera.scale / sketch.scale;
    const [x, y] = camera.screen(sketch.x, sketch.y);
    clear(ctx, colours.paper);
    const [width, height] = [sketch.image.width * zoom, sketch.image.height * zoom];
    ctx.drawImage(sketch.image, x * ratio - width / 2, y * ratio - height / 2, width, height);
  }

  keepSketch() {
    if (!this.drawn || this.drawn.units < MANY) { this.sketch = null; return; }
    const image = document.createElement("canvas");
    image.width = this.canvas.width;
    image.height = this.canvas.height;
    pen(image).drawImage(this.canvas, 0, 0);
    const { x, y, scale } = this.drawn;
    this.sketch = { image, x, y, scale };
  }

  paint() {
    const { stage, moment, camera, colours, marks, selected } = this;
    const ctx = pen(this.canvas);
    if (this.sketchDue && this.sketch) { this.paintSketch(ctx, this.sketch); return; }
    if (this.editor) { this.editor.draw(ctx); return; }
    if (!stage) { clear(ctx, colours.paper); return; }
    const layers = this.layers.active(moment.phase);
    this.layers.render(moment.phase, colours);
    const showLatest = this.player.tempo.unit === "activations" || !this.player.playing;
    const { motion, pointed, spotlight } = this, { scheduled } = this.explorer;
    const lit = spotlight?.(moment.units) ?? [];
    const units = draw(ctx, { stage, moment, marks, camera, layers, colours, selected, pointed, scheduled, showLatest, motion, lit });
    this.drawn = { units, x: camera.x, y: camera.y, scale: camera.scale };
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

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.altKey || document.querySelector("dialog[open]")) return;
    if (this.editor) { this.editor.key(event); return; }
    if (event.ctrlKey || event.metaKey || isNative(event)) return;
    const unit = event.shiftKey ? "rounds" : "activations";
    /** @type {Record<string, () => void>} */
    const actions = {
      " ": () => this.player.toggle(),
      ArrowRight: () => this.player.step(unit),
      ArrowLeft: () => this.player.back(unit),
      Home: () => this.player.seek(0),
      End: () => this.player.runTo("leader"),
      f: () => this.fit(),
      u: () => this.toggleSpaceTime(),
      m: () => this.toggleExplorer(),
      h: () => this.togglePanels(),
      "?": () => this.help(),
      "+": () => this.camera.zoom(1.25),
      "-": () => this.camera.zoom(0.8),
      Escape: () => this.select(-1),
    };
    if (document.activeElement === this.canvas) Object.assign(actions, this.walk.actions());
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
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

  help() {
    const open = this.element.querySelector("dialog.help");
    if (open) { open.remove(); return; }
    const close = () => dialog.remove();
    const dialog = h("dialog", { class: "help", onclose: close }, h("h2", {}, "Keys"),
      h("dl", {}, HELP.flatMap(([keys, words]) => [h("dt", {}, keys), h("dd", {}, words)])),
      h("button", { class: "primary", onclick: close }, "Close"));
    this.element.append(dialog);
    dialog.showModal();
  }
}

/** What run it is beside its shape: seed, election, and all that is not as usual. @param {Stage} stage */
export function runText({ seed, title, rules, options, defaults, by_hand }) {
  const unusual = Object.entries(options).filter(([name, value]) => !["algorithm", "scheduler"].includes(name) && value !== defaults[name]);
  const words = (/** @type {[string, any]} */ [name, value]) => {
    const plain = name.replaceAll("_", " ");
    return value === true ? plain : value === false ? `no ${plain}` : `${plain} ${value}`;
  };
  return [`seed ${seed}`, title, by_hand ? "by hand" : options.scheduler, ...unusual.map(words), rules ? `rules ${rules}` : ""].filter(Boolean).join(" · ");
}

/** Whether the control that has the focus has a use of its own for a key. @param {KeyboardEvent} event */
function isNative({ target, key }) {
  const { tagName, type } = /** @type {HTMLInputElement} */ (target);
  if (tagName === "BUTTON" || tagName === "SUMMARY" || (tagName === "INPUT" && type === "checkbox")) return key === " " || key === "Enter";
  if (tagName === "INPUT" && type === "range") return /^(Arrow|Page|Home|End)/.test(key);
  return ["INPUT", "SELECT", "TEXTAREA"].includes(tagName);
}
