// @ts-check
// The page that has a server.

import { openPage } from "./opened.js";
import { LiveSource } from "./source.js";

await openPage(() => new LiveSource(`ws://${location.host}/live`));
