// @ts-check
// The last picture, moved along while the view moves: where much is visible, drawing it anew takes longer
// than the time between two frames.

import { pen } from "./dom.js";
import { clear } from "./draw.js";

// With fewer visible units, every frame is drawn.
const MANY = 4000;

// Milliseconds after which the view has come to rest.
const REST = 90;

export class Sketch {
  /** @param {() => void} redraw */
  constructor(redraw) {
    this.redraw = redraw;
    /** @type {{ units: number, x: number, y: number, scale: number } | null} what is on the canvas, and from where it is seen */
    this.drawn = null;
    /** @type {{ image: HTMLCanvasElement, x: number, y: number, scale: number } | null} */
    this.kept = null;
    this.moving = false;
    this.settling = 0;
  }

  /** The picture is this one now. @param {number} units @param {import("./camera.js").Camera} camera */
  note(units, { x, y, scale }) { this.drawn = { units, x, y, scale }; }

  /** Forget the picture: from here on it is another run. */
  forget() {
    this.drawn = this.kept = null;
    this.moving = false;
  }

  /** The view moves. @param {HTMLCanvasElement} canvas */
  move(canvas) {
    if (!this.moving) this.keep(canvas);
    this.redraw();
    if (!this.kept) return;
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => { this.moving = false; this.redraw(); }, REST);
    this.moving = true;
  }

  /** @param {HTMLCanvasElement} canvas */
  keep(canvas) {
    if (!this.drawn || this.drawn.units < MANY) { this.kept = null; return; }
    const image = document.createElement("canvas");
    image.width = canvas.width;
    image.height = canvas.height;
    pen(image).drawImage(canvas, 0, 0);
    const { x, y, scale } = this.drawn;
    this.kept = { image, x, y, scale };
  }

  /** Paint it, unless the view rests: then it is to be drawn. @param {CanvasRenderingContext2D} ctx @param {import("./camera.js").Camera} camera @param {string} paper */
  paint(ctx, camera, paper) {
    if (!this.moving || !this.kept) return false;
    const { kept } = this, { ratio } = camera, zoom = camera.scale / kept.scale;
    const [x, y] = camera.screen(kept.x, kept.y);
    clear(ctx, paper);
    const [width, height] = [kept.image.width * zoom, kept.image.height * zoom];
    ctx.drawImage(kept.image, x * ratio - width / 2, y * ratio - height / 2, width, height);
    return true;
  }
}
