// @ts-check
// The page around the viewer: what only a live run can do, wherever its moments come from.

import { App, runText } from "./app.js";
import { Beside } from "./beside.js";
import { h } from "./dom.js";
import { press, toggleHelp } from "./keys.js";
import { Maker } from "./make.js";
import { applyLook } from "./look.js";
import { Tour } from "./tour.js";

/** @typedef {import("./types").Source & { connect?: () => Promise<void>, onlost?: (error: Error) => void }} PageSource */

// The most characters of an address: some programs that pass it on take no longer ones.
const LONGEST = 100_000;

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
    button("?", "Keys (?)", "help", () => toggleHelp(app)));
  app.header.append(
    h("button", { class: "menu-button", title: "What can be done", "data-test": "menu", onclick: () => app.element.classList.toggle("menu") }, "☰"), menu);

  let ours = ""; // the address that we wrote ourselves, "" if the run is too large for one
  let following = false; // whether an address is being followed: that makes no new entry in the history
  /** @type {string | null} the address to follow next: whoever goes back twice wants the second one */
  let wanted = null;
  let isNew = false; // whether the run that is open has no entry yet

  /** @type {Beside | null} two elections, if there are two */
  let pair = null;

  app.onload = () => {
    isNew = !following;
    document.title = `${app.stage.name}, ${runText(app.stage)}: amoebot`;
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
    const shape = { shape: run.shape, shape_seed: run.shape_seed, seed: run.seed };
    try {
      const buffer = await second.ask({ do: "open", run: { ...shape, options: { ...order, terminate, algorithm: name } } });
      if (chooser.value !== name) { second.close(); return; } // another one was chosen meanwhile
      const other = new App(document.body, second);
      other.setTheme(app.dark);
      pair = new Beside(app, other);
      await other.load(buffer, app.moment);
      if (pair?.apps[1] !== other) return; // closed meanwhile
      await pair.start();
      Object.assign(globalThis, { beside: { app: other, source: second } });
    } catch (error) {
      second.close();
      app.say(/** @type {Error} */ (error).message);
    }
    app.onrest();
  }
  // Each run has an entry in the browser's history, whose address follows the moment.
  app.onrest = async () => {
    if (app.player.playing || following || !app.stage) return;
    const here = location.hash;
    try {
      const found = await maker.address() + (chooser.value ? `&beside=${chooser.value}` : "");
      if (following || location.hash !== here) return; // the reader has gone elsewhere meanwhile
      ours = found.length < LONGEST ? found : "";
      if (ours !== location.hash || isNew) history[isNew ? "pushState" : "replaceState"](null, "", ours || location.pathname);
      isNew = false;
    } catch { /* the server has gone, and says so elsewhere */ }
  };

  /** @param {string} hash */
  async function follow(hash) {
    ours = wanted = hash;
    if (following) return;
    following = true;
    while (wanted !== null) {
      const next = wanted;
      wanted = null;
      await maker.follow(next);
    }
    following = false;
    app.rested();
  }

  async function copyAddress() {
    await app.onrest();
    if (!ours) { app.say("This run is too large for an address: save it, and send the file."); return; }
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

  window.addEventListener("keydown", (event) => press(app, event));
  window.addEventListener("hashchange", () => { if (location.hash !== ours) follow(location.hash); });
  source.onlost = (/** @type {Error} */ error) => app.say(`${error.message} Reload the page once it is back.`, 3600);

  const shown = applyLook(app);
  const { elections } = await app.patiently(Promise.resolve(source.connect?.()).then(() => maker.catalogue()));
  chooser.append(h("option", { value: "" }, "Beside…"), ...elections.map(({ name, title }) => h("option", { value: name }, title)));
  chooser.value = new URLSearchParams(location.hash.slice(1)).get("beside") ?? (location.hash ? "" : shown);
  await follow(location.hash);
  document.body.dataset.ready = "true";
}
