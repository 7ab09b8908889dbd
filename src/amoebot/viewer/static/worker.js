// @ts-check
// The engine in a worker: requests come as messages, and each gets one answer, in order.

import { withPixels } from "./images.js";
import { Library } from "./library.js";
import { Session } from "./session.js";

const ready = Library.unpack(PACKED).then((library) => new Session(library, FIRST));

/** @param {Record<string, any>} request */
async function answer(request) {
  try {
    const session = await ready;
    return session.answer(await withPixels(request));
  } catch (error) {
    return { kind: "error", message: /** @type {Error} */ (error).message };
  }
}

/** @type {Promise<void>} the answer before: an image takes longer than what is asked after it */
let last = Promise.resolve();

onmessage = ({ data }) => {
  last = last.then(async () => {
    const found = await answer(data);
    /** @type {any} */ (globalThis).postMessage(found, found instanceof ArrayBuffer ? [found] : []);
  });
};
