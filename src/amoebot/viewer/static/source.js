// @ts-check
// Where moments come from: a server behind a socket. Each request gets one answer, in order.
// film.js and widget.js have sources that can be asked in the same way.

import { unpack } from "./unpack.js";

/** @typedef {import("./types").Answer} Answer */
/** @typedef {{ resolve: (answer: Answer) => void, reject: (error: Error) => void }} Waiting */

// What a page asks for whose server is elsewhere.
const PACKED = "gzip";

export class LiveSource {
  /** @param {string} address @param {boolean} isNear whether the server is on this machine: packing would take longer than sending */
  constructor(address, isNear) {
    this.live = true;
    /** @type {Waiting[]} */
    this.waiting = [];
    /** @type {(error: Error) => void} */
    this.onlost = () => {};
    this.unpacking = Promise.resolve(); // one answer after another
    this.socket = new WebSocket(address, isNear ? [] : [PACKED]);
    this.socket.binaryType = "arraybuffer";
  }

  /** @returns {Promise<void>} */
  connect() {
    return new Promise((resolve, reject) => {
      this.socket.onopen = () => resolve();
      this.socket.onmessage = ({ data }) => {
        if (this.socket.protocol !== PACKED) { this.take(data); return; }
        this.unpacking = this.unpacking.then(async () => this.take(typeof data === "string" ? data : await unpack(data)));
      };
      this.socket.onclose = ({ code, reason }) => {
        const why = code === 1009 ? "the message was too large" : reason || "the server has gone";
        const error = new Error(`The connection was closed: ${why}.`);
        this.waiting.splice(0).forEach((next) => next.reject(error));
        reject(error);
        this.onlost(error);
      };
    });
  }

  /** @param {string | ArrayBuffer} data */
  take(data) {
    const next = this.waiting.shift();
    if (next) settle(next, typeof data === "string" ? JSON.parse(data) : data);
  }

  close() {
    this.onlost = () => {};
    this.socket.close();
  }

  /** @param {Record<string, any>} request @returns {Promise<Answer>} */
  ask(request) {
    return new Promise((resolve, reject) => {
      if (this.socket.readyState !== WebSocket.OPEN) {
        reject(new Error("The connection to the server is closed. Reload the page."));
        return;
      }
      this.waiting.push({ resolve, reject });
      this.socket.send(JSON.stringify(request));
    });
  }
}

/** @param {Waiting} waiting @param {Answer} answer */
export function settle({ resolve, reject }, answer) {
  if (answer.kind === "error") reject(new Error(answer.message));
  else resolve(answer);
}
