// @ts-check
// Making runs: a new shape from a generator, one's own drawing, files, options.

import { fromAddress, toAddress } from "./address.js";
import { download, fill, h } from "./dom.js";
import { Editor, MOST } from "./editor.js";
import { IMAGES, isImage } from "./images.js";

/** @typedef {import("./types").Catalogue} Catalogue */
/** @typedef {import("./types").Election} Election */
/** @typedef {import("./types").Options} Options */
/** @typedef {import("./types").Point} Point */

export class Maker {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.refusal = ""; // why a run was not opened
    this.picker = h("input", { type: "file", accept: `.json,.txt,${IMAGES.join()}`, hidden: true, "data-test": "file",
      onchange: () => this.read(this.picker.files?.[0]) });
    app.element.append(this.picker);
    app.centre.addEventListener("dragover", (event) => event.preventDefault());
    app.centre.addEventListener("drop", (event) => {
      event.preventDefault();
      this.read(event.dataTransfer?.files[0]);
    });
  }

  // What can be chosen; the elections' defaults say what an address can leave out.
  /** @returns {Promise<Catalogue>} */
  catalogue() { return this.app.source.ask({ do: "catalogue" }); }

  // Ask for another run; where it is refused, the present one stays and the reason is shown.
  /** @param {Record<string, any>} request @param {{ round: number, position: number }} [moment] */
  async open(request, moment) {
    const { app } = this;
    if (app.player.held) return false;
    app.player.pause();
    app.player.held = true;
    try {
      const buffer = await app.patiently(app.source.ask(request));
      app.player.held = false;
      await app.load(buffer, moment);
      return true;
    } catch (error) {
      this.refusal = /** @type {Error} */ (error).message;
      app.say(this.refusal, 15);
      return false;
    } finally {
      app.player.held = false;
    }
  }

  /** @param {File | undefined} file */
  async read(file) {
    if (!file) return;
    this.picker.value = "";
    const content = isImage(file.name) ? await base64(file) : await file.text();
    await this.open({ do: "file", name: file.name, content });
  }

  async saveRun() {
    const { run, text } = await this.app.source.ask({ do: "save" });
    const name = typeof run.shape === "string" ? run.shape : run.shape.name || "drawing";
    download(`${fileName(name)}-seed-${run.seed}.run.json`, text);
  }

  saveShape() {
    const shape = this.app.editor ? this.app.editor.shape() : this.presentShape();
    const expanded = shape.expanded.length ? shape.expanded : undefined;
    download(`${fileName(this.app.stage.name)}.json`, `${JSON.stringify({ nodes: shape.nodes, expanded })}\n`);
  }

  async address() {
    const { run } = await this.app.source.ask({ do: "save" });
    return toAddress(run, this.app.moment, this.app.stage.defaults);
  }

  /** @param {string} hash */
  async follow(hash) {
    let found = null;
    try {
      found = fromAddress(hash);
    } catch {
      this.app.say("The address after # cannot be read.");
    }
    const request = found ? { do: "open", run: found.run } : { do: "open" };
    if ((await this.open(request, found?.moment)) || !found) return;
    const { refusal } = this;
    await this.open({ do: "open" });
    this.app.say(refusal, 15);
  }

  presentShape() {
    const { stage } = this.app;
    const node = (/** @type {number} */ i) => /** @type {Point} */ ([stage.nodes[2 * i], stage.nodes[2 * i + 1]]);
    const nodes = Array.from({ length: stage.count }, (_, i) => node(i));
    /** @type {[Point, Point][]} */
    const expanded = [];
    for (let i = 0; i < stage.expanded.length; i += 2) expanded.push([node(stage.expanded[i]), node(stage.expanded[i + 1])]);
    return { nodes, expanded };
  }

  edit() {
    const { app } = this;
    if (app.editor) return;
    app.player.pause();
    app.select(-1);
    const small = app.stage.count <= MOST;
    if (!small) app.say(`Shapes of more than ${MOST.toLocaleString("en")} nodes cannot be edited: this is an empty lattice.`);
    const finish = async (/** @type {any} */ shape) => {
      app.editor?.close();
      app.editor = null;
      app.element.classList.remove("editing");
      app.redraw();
      if (shape && !(await this.open({ do: "open", run: { shape, seed: app.stage.seed, options: app.stage.options } }))) {
        this.edit(); // refused: go on drawing
      }
    };
    app.editor = new Editor(app, small ? this.presentShape() : { nodes: [], expanded: [] }, finish);
    app.element.classList.add("editing");
    app.centre.append(app.editor.element);
    app.fit();
  }

  // The dialog for a new run.
  async dialog() {
    const { app } = this, { stage } = app;
    const { shapes, schedulers, elections } = await this.catalogue();
    const example = stage.shape || shapes[0].example;
    const about = h("small"), scheduler = h("small"), text = h("input", { value: example, spellcheck: false, "data-test": "shape-text" });
    const select = choose(shapes.map(({ name }) => [name, name]), example.split(":")[0]);
    const order = choose(Object.keys(schedulers).map((name) => [name, name]), stage.options.scheduler);
    const seedOfShape = field("shape_seed", "Shape seed", h("input", { value: String(stage.shape_seed), inputMode: "numeric" }), "random shapes only");
    const describe = () => {
      const chosen = shapes.find(({ name }) => name === text.value.split(":")[0].trim());
      about.textContent = chosen ? `${chosen.signature}: ${chosen.description}` : "";
      seedOfShape.hidden = !chosen?.random;
      scheduler.textContent = schedulers[order.value];
    };
    select.addEventListener("change", () => { text.value = shapes.find(({ name }) => name === select.value)?.example ?? ""; describe(); });
    text.addEventListener("input", describe);
    order.addEventListener("change", describe);
    describe();
    const chooser = new OptionsChooser(elections, stage.options);
    const form = h("form", { method: "dialog" },
      h("h2", {}, "New run"),
      field("kind", "Shapes", select), field("shape", "Shape", text), about, seedOfShape,
      field("seed", "Seed", h("input", { value: stage.seed, inputMode: "numeric", "data-test": "seed" }), "of coins and schedule"),
      field("scheduler", "Scheduler", order), scheduler,
      chooser.element,
      h("div", { class: "actions" },
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
        h("button", { class: "primary", value: "run", "data-test": "run-new" }, "Run")));
    const dialog = h("dialog", { class: "make" }, form);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const given = new FormData(form), value = (/** @type {string} */ name) => String(given.get(name) ?? "").trim();
      const run = {
        shape: value("shape"), shape_seed: value("shape_seed") || "0", seed: value("seed") || "0",
        options: { scheduler: value("scheduler"), ...chooser.options() },
      };
      if (await this.open({ do: "open", run })) dialog.close();
      else form.querySelector("h2")?.after(h("p", { class: "wrong" }, (app.notice.textContent ?? "").replace(/×$/, "")));
    });
    dialog.addEventListener("close", () => dialog.remove());
    app.element.append(dialog);
    dialog.showModal();
  }
}

// The part of the dialog about the election: which one, its variants, its options.
class OptionsChooser {
  /** @param {Election[]} elections @param {Options} now */
  constructor(elections, now) {
    this.elections = elections;
    this.select = choose(elections.map(({ name, title }) => [name, title]), now.algorithm);
    this.own = h("div", { class: "own" });
    this.element = h("div", {}, field("algorithm", "Election", this.select), this.own);
    this.select.addEventListener("change", () => this.show({}));
    this.show(now);
  }

  get election() {
    return /** @type {Election} */ (this.elections.find(({ name }) => name === this.select.value));
  }

  /** @param {Options} now */
  show(now) {
    const { options, presets, source } = this.election;
    this.inputs = new Map(options.map((option) => [option.name, optionInput(option, now[option.name] ?? option.default)]));
    const variant = choose([["", "as below"], ...presets.map(({ name }) => /** @type {[string, string]} */ ([name, name]))], "");
    const hint = h("small");
    const choosePreset = () => {
      const preset = presets.find(({ name }) => name === variant.value);
      for (const [name, value] of Object.entries(preset?.values ?? {})) setInput(this.inputs?.get(name), value);
      hint.textContent = preset?.help ?? "";
    };
    const findPreset = () => {
      const values = this.options();
      const found = presets.find((preset) => Object.entries(preset.values).every(([name, value]) => values[name] === value));
      variant.value = found?.name ?? "";
      hint.textContent = found?.help ?? "";
    };
    variant.addEventListener("change", choosePreset);
    this.own.oninput = (event) => { if (event.target !== variant) findPreset(); };
    fill(this.own, source ? h("small", {}, source) : null,
      presets.length ? [field("variant", "Variant", variant), hint] : null,
      options.map((option) => field(option.name, words(option.name), /** @type {HTMLInputElement} */ (this.inputs?.get(option.name)), 
        option.least === undefined ? option.help : `${option.help}, ${option.least} to ${option.most}`)));
    findPreset();
  }

  /** @returns {Options} */
  options() {
    const own = [...(this.inputs ?? [])].map(([name, input]) =>
      [name, input.type === "checkbox" ? input.checked : Number(input.value)]);
    return { algorithm: this.election.name, ...Object.fromEntries(own) };
  }
}

/** @param {import("./types").Option} option @param {any} value */
function optionInput({ least, most }, value) {
  if (typeof value === "boolean") return h("input", { type: "checkbox", checked: value });
  return h("input", { type: "number", min: least, max: most, value });
}

/** @param {HTMLInputElement | undefined} input @param {any} value */
function setInput(input, value) {
  if (input?.type === "checkbox") input.checked = value;
  else if (input) input.value = String(value);
}

/** @param {string} name @param {string} label @param {HTMLInputElement | HTMLSelectElement} input @param {string} [hint] */
function field(name, label, input, hint) {
  return h("label", { class: "field" }, h("span", {}, label), Object.assign(input, { name }), hint ? h("small", {}, hint) : null);
}

/** @param {[value: string, words: string][]} options @param {string} chosen */
function choose(options, chosen) {
  return h("select", {}, options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
}

/** @param {string} name */
function words(name) {
  const text = name.replaceAll("_", " ");
  return text[0].toUpperCase() + text.slice(1);
}

/** @param {string} text */
function fileName(text) {
  return text.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "shape";
}

/** @param {File} file @returns {Promise<string>} */
function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",")[1] || "");
    reader.onerror = () => reject(new Error("The file cannot be read."));
    reader.readAsDataURL(file);
  });
}
