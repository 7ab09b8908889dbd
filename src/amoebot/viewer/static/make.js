// Making runs: a new shape from a generator, one's own drawing, files, options.

import { fromAddress, toAddress, VARIANTS, variantOf, variantOptions } from "./address.js";
import { download, h } from "./dom.js";
import { Editor, MOST } from "./editor.js";

const IMAGES = [".png", ".gif", ".bmp", ".jpg", ".jpeg"];

export class Maker {
  constructor(app) {
    this.app = app;
    this.picker = h("input", { type: "file", accept: ".json,.txt,.png,.gif,.bmp,.jpg,.jpeg", hidden: true, "data-test": "file", onchange: () => this.read(this.picker.files[0]) });
    app.element.append(this.picker);
    app.centre.addEventListener("dragover", (event) => event.preventDefault());
    app.centre.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files.length) this.read(event.dataTransfer.files[0]);
    });
  }

  // Ask for another run; where it is refused, the present one stays and the reason is shown.
  async open(request, moment) {
    this.app.player.pause();
    try {
      const buffer = await this.app.source.ask(request);
      await this.app.load(buffer, moment);
      return true;
    } catch (error) {
      this.app.say(error.message, 15);
      return false;
    }
  }

  async read(file) {
    if (!file) return;
    this.picker.value = "";
    const image = IMAGES.some((ending) => file.name.toLowerCase().endsWith(ending));
    const content = image ? await base64(file) : await file.text();
    await this.open({ do: "file", name: file.name, content });
  }

  async run() {
    return (await this.app.source.ask({ do: "save" }));
  }

  async saveRun() {
    const { run, text } = await this.run();
    const name = typeof run.shape === "string" ? run.shape : run.shape.name || "drawing";
    download(`${fileName(name)}-seed-${run.seed}.run.json`, text);
  }

  saveShape() {
    const shape = this.app.editor ? this.app.editor.shape() : this.presentShape();
    const content = { nodes: shape.nodes };
    if (shape.expanded.length) content.expanded = shape.expanded;
    download(`${fileName(this.app.stage.name)}.json`, `${JSON.stringify(content)}\n`);
  }

  async address() {
    const { run } = await this.run();
    // Seeds beyond 2^53 would lose digits on the way through a number.
    run.seed = this.app.stage.seed;
    return toAddress(run, this.app.moment);
  }

  async follow(hash) {
    let found = null;
    try {
      found = fromAddress(hash);
    } catch {
      this.app.say("The address after # cannot be read.");
    }
    const request = found ? { do: "open", run: found.run } : { do: "open" };
    if (!(await this.open(request, found?.moment)) && found) await this.open({ do: "open" });
  }

  presentShape() {
    const { stage } = this.app;
    const node = (i) => [stage.nodes[2 * i], stage.nodes[2 * i + 1]];
    const nodes = Array.from({ length: stage.count }, (_, i) => node(i)), expanded = [];
    for (let i = 0; i < stage.expanded.length; i += 2) expanded.push([node(stage.expanded[i]), node(stage.expanded[i + 1])]);
    return { nodes, expanded };
  }

  edit() {
    const { app } = this;
    if (app.editor) return;
    app.player.pause();
    app.select(-1);
    const small = app.stage.count <= MOST;
    if (!small) app.say(`Shapes of more than ${MOST.toLocaleString("en")} nodes are not drawn by hand: here is an empty sheet.`);
    const finish = async (shape) => {
      app.editor.close();
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
    const { app } = this;
    const { stage } = app;
    const { shapes, schedulers } = await app.source.ask({ do: "catalogue" });
    const kind = (stage.shape || shapes[0].example).split(":")[0];
    const field = (name, words, input, hint) => h("label", { class: "field" }, h("span", {}, words), Object.assign(input, { name }), hint ? h("small", {}, hint) : null);
    const choose = (options, chosen) => h("select", {}, options.map(([value, words]) => h("option", { value, selected: value === chosen }, words)));
    const about = h("small");
    const select = choose(shapes.map(({ name }) => [name, name]), kind);
    const text = h("input", { value: stage.shape || shapes[0].example, spellcheck: false, "data-test": "shape-text" });
    const seedOfShape = field("shape_seed", "Shape seed", h("input", { value: String(stage.shapeSeed), inputMode: "numeric" }), "random shapes only");
    const describe = () => {
      const chosen = shapes.find(({ name }) => name === text.value.split(":")[0].trim());
      about.textContent = chosen ? `${chosen.signature}: ${chosen.description}` : "";
      seedOfShape.hidden = !chosen?.random;
    };
    select.addEventListener("change", () => { text.value = shapes.find(({ name }) => name === select.value).example; describe(); });
    text.addEventListener("input", describe);
    describe();
    const form = h("form", { method: "dialog" },
      h("h2", {}, "New run"),
      field("kind", "Shapes", select), field("shape", "Shape", text), about, seedOfShape,
      field("seed", "Seed", h("input", { value: stage.seed, inputMode: "numeric", "data-test": "seed" }), "of coins and schedule"),
      field("scheduler", "Scheduler", choose(schedulers.map((name) => [name, name]), stage.options.scheduler)),
      field("variant", "Algorithm", choose(Object.entries(VARIANTS).map(([name, [words]]) => [name, words]), variantOf(stage.options))),
      field("radix", "Radix", h("input", { type: "number", min: 2, max: 256, value: stage.options.radix }), "values of a digit, 2 to 256"),
      h("div", { class: "actions" },
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
        h("button", { class: "primary", value: "run", "data-test": "run-new" }, "Run")));
    const dialog = h("dialog", { class: "make" }, form);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const given = Object.fromEntries([...form.elements].filter(({ name }) => name).map(({ name, value }) => [name, value]));
      const run = {
        shape: given.shape.trim(), shape_seed: given.shape_seed.trim() || "0", seed: given.seed.trim() || "0",
        options: { scheduler: given.scheduler, radix: Number(given.radix), ...variantOptions(given.variant) },
      };
      if (await this.open({ do: "open", run })) dialog.close();
      else form.querySelector("h2").after(h("p", { class: "wrong" }, app.notice.textContent.replace(/×$/, "")));
    });
    dialog.addEventListener("close", () => dialog.remove());
    app.element.append(dialog);
    dialog.showModal();
  }
}

function fileName(text) {
  return text.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "shape";
}

function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.split(",")[1] || "");
    reader.onerror = () => reject(new Error("The file cannot be read."));
    reader.readAsDataURL(file);
  });
}
