// @ts-check
// What keys do, and the list of them.

import { h } from "./dom.js";

/** @typedef {import("./app.js").App} App */

const HELP = [
  ["space", "play or pause"], ["← →", "one activation back or forward"],
  ["shift ← →", "one round back or forward"], ["home, end", "the beginning, the leader"],
  ["f", "fit the whole shape"], ["u", "unroll the boundary"], ["m", "list all next moves"], ["h", "hide or show the panels"], ["?", "this help"],
  ["drag, wheel", "move and zoom"], ["click", "read a particle's memory"],
  ["enter, in the picture", "choose a particle; then arrows go to its neighbours, escape ends it"],
];

/** @param {App} app @param {KeyboardEvent} event */
export function press(app, event) {
  if (event.altKey || document.querySelector("dialog[open]")) return;
  if (app.editor) { app.editor.key(event); return; }
  if (event.ctrlKey || event.metaKey || isNative(event)) return;
  const actions = actionsOf(app, event.shiftKey ? "rounds" : "activations");
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

/** @param {App} app @param {"rounds" | "activations"} unit @returns {Record<string, () => void>} */
function actionsOf(app, unit) {
  return {
    " ": () => app.player.toggle(),
    ArrowRight: () => app.player.step(unit),
    ArrowLeft: () => app.player.back(unit),
    Home: () => app.player.seek(0),
    End: () => app.player.runTo("leader"),
    f: () => app.fit(),
    u: () => app.toggleSpaceTime(),
    m: () => app.toggleExplorer(),
    h: () => app.togglePanels(),
    "?": () => toggleHelp(app),
    "+": () => app.camera.zoom(1.25),
    "-": () => app.camera.zoom(0.8),
    Escape: () => app.select(-1),
    ...(document.activeElement === app.canvas ? app.walk.actions() : {}),
  };
}

/** @param {App} app */
export function toggleHelp(app) {
  const open = app.element.querySelector("dialog.help");
  if (open) { open.remove(); return; }
  const close = () => dialog.remove();
  const dialog = h("dialog", { class: "help", onclose: close }, h("h2", {}, "Keys"),
    h("dl", {}, HELP.flatMap(([keys, words]) => [h("dt", {}, keys), h("dd", {}, words)])),
    h("button", { class: "primary", onclick: close }, "Close"));
  app.element.append(dialog);
  dialog.showModal();
}

/** Whether the control that has the focus has a use of its own for a key. @param {KeyboardEvent} event */
function isNative({ target, key }) {
  const { tagName, type } = /** @type {HTMLInputElement} */ (target);
  if (tagName === "BUTTON" || tagName === "SUMMARY" || (tagName === "INPUT" && type === "checkbox")) return key === " " || key === "Enter";
  if (tagName === "INPUT" && type === "range") return /^(Arrow|Page|Home|End)/.test(key);
  return ["INPUT", "SELECT", "TEXTAREA"].includes(tagName);
}
