// @ts-check
// The lower part of a picture, kept from frame to frame: while a run is played, it seldom changes.

export class Backdrop {
  constructor() {
    /** @type {ImageBitmap | null} a picture rather than a canvas: Chromium sometimes shows nothing of one that is copied from */
    this.picture = null;
    /** @type {any[]} what it depends on */
    this.key = [];
  }

  /** Copy it to a canvas; it is drawn anew if what it depends on has changed. @param {CanvasRenderingContext2D} ctx @param {any[]} depends @param {(ctx: CanvasRenderingContext2D) => void} draw */
  paint(ctx, depends, draw) {
    const { width, height } = ctx.canvas, key = [width, height, ...depends];
    if (key.length !== this.key.length || key.some((value, i) => value !== this.key[i])) {
      const canvas = new OffscreenCanvas(width, height);
      draw(/** @type {any} */ (canvas.getContext("2d")));
      this.picture?.close();
      this.picture = canvas.transferToImageBitmap();
      this.key = key;
    }
    ctx.save();
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, width, height);
    if (this.picture) ctx.drawImage(this.picture, 0, 0);
    ctx.restore();
  }
}
