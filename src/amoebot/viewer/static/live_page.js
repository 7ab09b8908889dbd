// @ts-check
// The page without a server: its engine is in a worker, whose script is in the page.

import { openPage } from "./opened.js";
import { WorkerSource } from "./worker_source.js";

openPage(() => new WorkerSource(document.getElementById("engine")?.textContent ?? ""));
