// @ts-check
// The lower part of a picture, kept from frame to frame: while a run is played, it seldom changes.

import { pen } from "./dom.js";

export class Backdrop {
  constructor() {
    this.canvas = document.createElement("canvas");
    /** @type {any[]} what its picture depends on */
    this.key = [];
  }

  /** Copy it to a canvas; it is drawn anew if what it depends on has changed. @param {CanvasRenderingContext2D} ctx @param {any[]} depends @param {(ctx: CanvasRenderingContext2D) => void} draw */
  paint(ctx, depends, draw) {
    const { width, height } = ctx.canvas, key = [width, height, ...depends];
    if (key.length !== this.key.length || key.some((value, i) => value !== this.key[i])) {
      Object.assign(this.canvas, { width, height }); // which clears it
      draw(pen(this.canvas));
      this.key = key;
    }
    ctx.save();
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, width, height);
    ctx.drawImage(this.canvas, 0, 0);
    ctx.restore();
  }
}
