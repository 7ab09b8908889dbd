// @ts-check
// The page around the viewer: what only a live run can do, wherever its moments come from.

import { App } from "./app.js";
import { Beside } from "./beside.js";
import { h } from "./dom.js";
import { Maker } from "./make.js";
import { Tour } from "./tour.js";

/** @typedef {import("./types").Source & { connect?: () => Promise<void>, onlost?: (error: Error) => void }} PageSource */

/** @param {() => PageSource} newSource what makes a session of its own each time */
export async function openPage(newSource) {
  const source = newSource();
  const app = new App(document.body, source);
  const maker = new Maker(app);
  const tour = new Tour(app, maker);
  Object.assign(globalThis, { amoebot: { app, source, maker } }); // for tests, and for the curious

  /** @param {string} words @param {string} title @param {string} test @param {() => void} action */
  const button = (words, title, test, action) => h("button", { title, "data-test": test, onclick: action }, words);
  const tourButton = button("Tour", "A guided tour of this election", "tour-start", () => tour.start());
  const chooser = h("select", { title: "Another election beside this one, in step", "data-test": "beside", onchange: () => putBeside(chooser.value) });
  const menu = h("nav", { onclick: (/** @type {any} */ { target }) => { if (target.tagName === "BUTTON") app.element.classList.remove("menu"); } },
    tourButton, chooser,
    button("New…", "Another shape, seed, scheduler or election", "new", () => maker.dialog()),
    button("Draw", "Draw a shape of your own", "draw", () => maker.edit()),
    button("Open", "Open a shape or run file", "open", () => maker.picker.click()),
    button("Save run", "Save this run: shape, seed, options, schedule by hand", "save-run", () => maker.saveRun()),
    button("Save shape", "Save this shape as JSON", "save-shape", () => maker.saveShape()),
    button("Link", "Copy this run's address", "link", copyAddress),
    button("Theme", "Dark or light", "theme", () => { pair?.apps[1].setTheme(!app.dark); app.setTheme(!app.dark); remember(); }),
    button("?", "Keys (?)", "help", () => app.help()));
  app.header.append(
    h("button", { class: "menu-button", title: "What can be done", "data-test": "menu", onclick: () => app.element.classList.toggle("menu") }, "☰"), menu);

  let ours = ""; // the address that we wrote ourselves

  /** @type {Beside | null} two elections, if there are two */
  let pair = null;

  app.onload = () => {
    tourButton.hidden = !app.stage.tour;
    if (chooser.value) putBeside(chooser.value);
  };

  // Open the same shape and seed with another election, in a session of its own.
  /** @param {string} name */
  async function putBeside(name) {
    pair?.close();
    pair = null;
    chooser.value = name;
    if (!chooser.value) { app.onrest(); return; }
    const second = newSource();
    await second.connect?.();
    const { run } = await source.ask({ do: "save" });
    const { scheduler, terminate } = run.options;
    const order = scheduler === "by hand" ? {} : { scheduler };
    const shape = { shape: run.shape, shape_seed: run.shape_seed, seed: app.stage.seed };
    try {
      const buffer = await second.ask({ do: "open", run: { ...shape, options: { ...order, terminate, algorithm: name } } });
      const other = new App(document.body, second);
      other.setTheme(app.dark);
      pair = new Beside(app, other);
      await other.load(buffer, app.moment);
      Object.assign(globalThis, { beside: { app: other, source: second } });
    } catch (error) {
      second.close();
      app.say(/** @type {Error} */ (error).message);
    }
    app.onrest();
  }
  app.onrest = async () => {
    if (app.player.playing || !app.stage) return;
    try {
      ours = await maker.address() + (chooser.value ? `&beside=${chooser.value}` : "");
      if (ours !== location.hash && ours.length < 100_000) history.replaceState(null, "", ours);
    } catch { /* the server has gone, and says so elsewhere */ }
  };

  async function copyAddress() {
    await app.onrest();
    try {
      await navigator.clipboard.writeText(location.href);
      app.say("The address of this moment is in the clipboard.");
    } catch {
      app.say("Copy the address of this page: it leads to this moment.");
    }
  }

  function remember() {
    try { localStorage.setItem("amoebot-theme", app.dark ? "dark" : "light"); } catch { /* not allowed */ }
  }

  try {
    const theme = localStorage.getItem("amoebot-theme");
    if (theme) app.setTheme(theme === "dark");
  } catch { /* not allowed */ }

  window.addEventListener("keydown", (event) => app.key(event));
  window.addEventListener("hashchange", () => { if (location.hash !== ours) maker.follow(location.hash); });
  source.onlost = (/** @type {Error} */ error) => app.say(`${error.message} Reload the page once it is back.`, 3600);

  await source.connect?.();
  const { elections } = await maker.catalogue();
  chooser.append(h("option", { value: "" }, "Beside…"), ...elections.map(({ name, title }) => h("option", { value: name }, title)));
  chooser.value = new URLSearchParams(location.hash.slice(1)).get("beside") ?? "";
  await maker.follow(location.hash);
  document.body.dataset.ready = "true";
}
