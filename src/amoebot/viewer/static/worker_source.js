// @ts-check
// Where moments come from without a server: an engine in a worker. It can be asked as a socket is.

import { settle } from "./source.js";

export class WorkerSource {
  /** @param {string} script what the worker runs */
  constructor(script) {
    this.live = true;
    /** @type {import("./source.js").Waiting[]} */
    this.waiting = [];
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
    this.worker.onmessage = ({ data }) => {
      const next = this.waiting.shift();
      if (next) settle(next, data);
    };
    this.worker.onerror = ({ message }) => this.waiting.splice(0).forEach((next) => next.reject(new Error(`The engine has stopped: ${message}`)));
  }

  close() { this.worker.terminate(); }

  /** @param {Record<string, any>} request @returns {Promise<import("./types").Answer>} */
  ask(request) {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.worker.postMessage(request);
    });
  }
}
