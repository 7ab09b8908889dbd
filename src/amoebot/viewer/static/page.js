// @ts-check
// The page that has a server.

import { openPage } from "./opened.js";
import { LiveSource } from "./source.js";

const isNear = /^(localhost|127[.0-9]*|\[::1\])$/.test(location.hostname);

await openPage(() => new LiveSource(`ws://${location.host}/live`, isNear));
