// @ts-check
// The page without a server: its engine is in a worker, whose script is in the page.

import { h } from "./dom.js";
import { openPage } from "./opened.js";
import { WorkerSource } from "./worker_source.js";

openPage(() => new WorkerSource(document.getElementById("engine")?.textContent ?? "")).catch((error) => {
  document.body.replaceChildren(h("p", {}, `This page runs an election in your browser, which must be able to start a worker with WebAssembly: ${error.message}`));
});
