// The viewer: canvas, panels, time. The page, the film and the notebook all mount this.

import { Camera } from "./camera.js";
import { Charts } from "./charts.js";
import { count, h } from "./dom.js";
import { draw } from "./draw.js";
import { Inspector } from "./inspect.js";
import { Layers } from "./layers.js";
import { Moment } from "./moment.js";
import { Player } from "./player.js";
import { decodeStage, nearestNode, nodeAt } from "./stage.js";
import { Timebar } from "./timebar.js";

const HELP = [
  ["space", "play or pause"], ["← →", "one activation back or forward"],
  ["shift ← →", "one round back or forward"], ["home, end", "the beginning, the leader"],
  ["f", "fit the whole shape"], ["h", "hide or show the panels"], ["?", "this help"],
  ["drag, wheel", "move and zoom"], ["click", "read a particle's memory"],
];

// From so many visible agents on, drawing takes longer than the time between two frames.
const MANY = 4000;

export class App {
  constructor(root, source, { compact = false } = {}) {
    Object.assign(this, { root, source, selected: -1, survey: null, editor: null });
    this.canvas = h("canvas", { class: "picture", tabIndex: 0, "aria-label": "The particle system", "data-test": "picture" });
    this.player = new Player(source, (buffer) => this.show(buffer));
    this.player.onerror = (error) => this.say(error.message);
    this.timebar = new Timebar(this.player, this);
    this.inspector = new Inspector(this);
    this.charts = new Charts((round) => this.player.seek(round));
    this.header = h("header", { class: "top" }, h("h1", {}, "amoebot"), (this.title = h("p", { class: "title" })));
    this.notice = h("div", { class: "notice", role: "status", "data-test": "notice", hidden: true });
    this.side = h("aside", { class: "right" }, this.inspector.element);
    this.left = h("aside", { class: "left" });
    this.centre = h("main", {}, this.canvas, this.notice);
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
    new ResizeObserver(() => this.resized()).observe(this.canvas);
  }

  setTheme(dark) {
    this.dark = dark;
    this.element.dataset.theme = dark ? "dark" : "light";
    this.redraw();
  }

  get colours() { return this.stage?.look.themes[this.dark ? "dark" : "light"] || { paper: this.dark ? "#10151b" : "#ffffff" }; }

  // A new run: its geometry, then its first moment.
  async load(buffer, moment = null) {
    this.player.pause();
    this.stage = decodeStage(buffer);
    this.moment = new Moment(this.stage);
    this.survey = null;
    this.timebar.key = null;
    this.selected = -1;
    this.inspector.select(-1);
    if (!this.layers) {
      this.layers = new Layers(this.stage.look, () => this.redraw());
      this.left.append(this.layers.element);
    }
    this.layers.key = null;
    this.titleText();
    this.fit();
    await this.player.ask({ do: "look" });
    if (moment && (moment.round || moment.position)) await this.player.seek(moment.round, moment.position);
    if (this.stage.note) this.say(this.stage.note);
    this.watchSurvey();
    this.rested();
  }

  titleText() {
    const { stage } = this;
    const inner = stage.boundaries.length - 1;
    this.title.replaceChildren(h("strong", {}, stage.name),
      ` ${count(stage.particles, "particle")}, ${count(stage.agents, "agent")}, L = ${(stage.boundaries[0]?.[1] ?? 0).toLocaleString("en")}` +
      `${inner > 0 ? `, ${count(inner, "inner boundary").replace("boundarys", "boundaries")}` : ""} · seed ${stage.seed}`);
  }

  show(buffer) {
    if (!(buffer instanceof ArrayBuffer)) return null;
    this.moment.read(buffer);
    this.timebar.update();
    this.inspector.render();
    this.redraw();
    if (!this.player.playing && this.player.until === null) this.rested();
    return this.moment;
  }

  // Time stands still: there is leisure to look closer, and a moment worth an address.
  rested() {
    if (!this.moment) return;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => { this.inspector.update(); this.onrest?.(); }, 30);
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
        this.timebar.mark(survey, stage.look.milestones);
        this.timebar.update();
        this.redraw();
        if (survey.done) return;
      } catch { return; }
      await new Promise((next) => setTimeout(next, wait));
    }
  }

  async activate(particle) {
    this.player.pause();
    await this.player.ask({ do: "activate", particle });
    this.watchSurvey();
    this.inspector.update();
  }

  select(particle) {
    this.selected = particle;
    this.inspector.select(particle);
    this.element.classList.toggle("inspecting", particle >= 0);
    this.redraw();
  }

  click(event) {
    if (this.editor || this.camera.moved || !this.stage) return;
    const node = nodeAt(this.stage, ...nearestNode(...this.camera.planeOf(event)));
    this.select(node < 0 ? -1 : this.stage.particleOfNode[node]);
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
    if (!this.sketch || this.editor) { this.redraw(); return; }
    clearTimeout(this.settling);
    this.settling = setTimeout(() => { this.sketchDue = false; this.redraw(); }, 90);
    this.sketchDue = true;
    this.redraw();
  }

  paintSketch(ctx) {
    const { camera, colours, sketch } = this, ratio = camera.ratio || 1, { canvas } = ctx;
    const zoom = camera.scale / sketch.scale;
    const [x, y] = camera.screen(sketch.x, sketch.y);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = colours.paper;
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    const [width, height] = [sketch.image.width * zoom, sketch.image.height * zoom];
    ctx.drawImage(sketch.image, x * ratio - width / 2, y * ratio - height / 2, width, height);
  }

  keepSketch(agents) {
    if (agents < MANY) { this.sketch = null; return; }
    const image = document.createElement("canvas");
    image.width = this.canvas.width;
    image.height = this.canvas.height;
    image.getContext("2d").drawImage(this.canvas, 0, 0);
    const { x, y, scale } = this.camera;
    this.sketch = { image, x, y, scale };
  }

  paint() {
    const { stage, moment, camera, colours } = this;
    const ctx = this.canvas.getContext("2d");
    if (this.sketchDue && this.sketch) { this.paintSketch(ctx); return; }
    if (this.editor) { this.editor.draw(ctx); return; }
    if (!stage || !moment) { draw(ctx, { camera, colours }); return; }
    const layers = this.layers.active(moment.phase);
    this.layers.render(moment.phase, colours, stage.options.almost_sure);
    const slow = this.player.speed.unit === "activations" || !this.player.playing;
    this.keepSketch(draw(ctx, { stage, moment, camera, layers, colours, selected: this.selected, showLatest: slow }));
    const now = moment.round + (moment.position ? 0.5 : 0);
    this.charts.draw(this.survey, this.total(), now, colours, stage.look.phases);
    this.canvas.dataset.painted = moment.version;
  }

  say(message, seconds = 8) {
    clearTimeout(this.saying);
    this.notice.hidden = !message;
    this.notice.replaceChildren(h("span", {}, message),
      h("button", { class: "close", title: "Close", onclick: () => this.say("") }, "×"));
    if (message) this.saying = setTimeout(() => this.say(""), seconds * 1000);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName) && event.target.type !== "range" && event.target.type !== "checkbox") return;
    if (document.querySelector("dialog[open]") && event.key !== "?") return;
    const unit = event.shiftKey ? "rounds" : "activations";
    const actions = {
      " ": () => this.player.toggle(),
      ArrowRight: () => this.player.step(unit),
      ArrowLeft: () => this.player.back(unit),
      Home: () => this.player.seek(0),
      End: () => this.player.runTo("leader"),
      f: () => this.fit(),
      h: () => this.togglePanels(),
      "?": () => this.help(),
      "+": () => this.camera.zoom(1.25),
      "-": () => this.camera.zoom(0.8),
      Escape: () => this.select(-1),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action || this.editor) return;
    event.preventDefault();
    action();
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
