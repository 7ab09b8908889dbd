// @ts-check
// The engine in a worker: requests come as messages, and each gets one answer, in order.

import { Library } from "./library.js";
import { Session } from "./session.js";

const ready = Library.unpack(PACKED).then((library) => new Session(library, FIRST));

onmessage = async ({ data }) => {
  const answer = await ready.then((session) => session.answer(data), (error) => ({ kind: "error", message: String(error) }));
  /** @type {any} */ (globalThis).postMessage(answer, answer instanceof ArrayBuffer ? [answer] : []);
};
