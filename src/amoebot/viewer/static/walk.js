// @ts-check
// From particle to particle by keys, while the picture has the focus.

import { nodeAt, nodesOfParticle, ROW } from "./stage.js";

/** @typedef {import("./types").Point} Point */

// The directions in which neighbours lie, as keys name them: left, right, and up and down twice each.
/** @type {Record<string, Point[]>} */
const STEPS = {
  ArrowLeft: [[-1, 0]], ArrowRight: [[1, 0]],
  ArrowUp: [[0, 1], [-1, 1]], ArrowDown: [[0, -1], [1, -1]],
};

export class Walk {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.isOn = false;
    app.canvas.addEventListener("pointerdown", () => { this.isOn = false; });
    app.canvas.addEventListener("blur", () => { this.isOn = false; });
  }

  /** What keys do in the picture. @returns {Record<string, () => void>} */
  actions() {
    const steps = Object.keys(STEPS).map((key) => [key, () => this.go(key)]);
    const enter = { Enter: () => this.begin() };
    return this.isOn ? { ...enter, Escape: () => this.end(), ...Object.fromEntries(steps) } : enter;
  }

  // Begin with the particle chosen before, the leader, or the one in the middle of the picture.
  begin() {
    const { app } = this, { stage, moment, camera } = app;
    if (!stage) return;
    this.isOn = true;
    if (app.selected >= 0) return;
    app.select(moment.leader >= 0 ? moment.leader : stage.particle_of_node[nearest(stage, camera.x, camera.y)]);
  }

  end() {
    this.isOn = false;
    this.app.select(-1);
  }

  /** @param {string} key */
  go(key) {
    const { app } = this, { stage } = app;
    const nodes = nodesOfParticle(stage, app.selected);
    for (const node of key === "ArrowRight" ? nodes.reverse() : nodes) {
      // Up and down alternate between the two neighbours, so that one goes straight.
      const steps = [...STEPS[key]], odd = stage.nodes[2 * node + 1] % 2 !== 0;
      if (odd === (key === "ArrowUp")) steps.reverse();
      for (const [dx, dy] of steps) {
        const next = nodeAt(stage, stage.nodes[2 * node] + dx, stage.nodes[2 * node + 1] + dy);
        if (next < 0 || stage.particle_of_node[next] === app.selected) continue;
        app.select(stage.particle_of_node[next]);
        app.inspector.update();
        this.follow(next);
        return;
      }
    }
  }

  // Keep what is chosen in view.
  /** @param {number} node */
  follow(node) {
    const { camera, stage } = this.app, [x, y] = camera.screen(stage.px[node], stage.py[node]);
    if (x > 20 && y > 20 && x < camera.width - 20 && y < camera.height - 20) return;
    [camera.x, camera.y] = [stage.px[node], stage.py[node]];
    camera.changed();
  }
}

/** The node nearest to a point. @param {import("./types").Stage} stage @param {number} x @param {number} y */
function nearest(stage, x, y) {
  let best = 0, least = Infinity;
  for (let i = 0; i < stage.count; i++) {
    const distance = (stage.px[i] - x) ** 2 + ((stage.py[i] - y) / ROW) ** 2;
    if (distance < least) [best, least] = [i, distance];
  }
  return best;
}
