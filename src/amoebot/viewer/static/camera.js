// @ts-check
// What part of the plane is seen: a point and a scale, moved by mouse, wheel, touch and keys.

/** @typedef {import("./types").Point} Point */

const LEAST = 0.15, MOST = 160;

export class Camera {
  /** @param {HTMLCanvasElement} canvas @param {() => void} changed */
  constructor(canvas, changed) {
    this.canvas = canvas;
    this.changed = changed;
    this.scale = 30;
    this.x = this.y = 0;
    this.width = this.height = this.ratio = 1;
    /** @type {Map<number, Point>} */
    this.pointers = new Map();
    /** @type {Point} */
    this.start = [0, 0];
    this.moved = false;
    this.locked = false; // while a shape is drawn, one finger or button does not move the view
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) {
      canvas.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
    }
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.ratio = globalThis.devicePixelRatio || 1;
    this.width = clientWidth;
    this.height = clientHeight;
    this.canvas.width = Math.round(clientWidth * this.ratio);
    this.canvas.height = Math.round(clientHeight * this.ratio);
    this.changed();
  }

  /** @param {import("./types").Box} box */
  fit(box, most = 72) {
    // Room for what agents hold, and for the star of a leader at the edge.
    const wide = box.right - box.left + 2.2, high = box.bottom - box.top + 2.2;
    const scale = Math.min((this.width - 24) / wide, (this.height - 24) / high);
    this.scale = Math.max(LEAST, Math.min(most, scale));
    this.x = (box.left + box.right) / 2;
    this.y = (box.top + box.bottom) / 2;
    this.changed();
  }

  /** From the plane to the canvas. @param {number} x @param {number} y @returns {Point} */
  screen(x, y) {
    return [(x - this.x) * this.scale + this.width / 2, (y - this.y) * this.scale + this.height / 2];
  }

  /** From the canvas to the plane. @param {number} sx @param {number} sy @returns {Point} */
  plane(sx, sy) {
    return [(sx - this.width / 2) / this.scale + this.x, (sy - this.height / 2) / this.scale + this.y];
  }

  /** @param {MouseEvent} event */
  planeOf(event) {
    const box = this.canvas.getBoundingClientRect();
    return this.plane(event.clientX - box.left, event.clientY - box.top);
  }

  /** @param {number} factor */
  zoom(factor, sx = this.width / 2, sy = this.height / 2) {
    const [x, y] = this.plane(sx, sy);
    this.scale = Math.max(LEAST, Math.min(MOST, this.scale * factor));
    const [nx, ny] = this.plane(sx, sy);
    this.x += x - nx;
    this.y += y - ny;
    this.changed();
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const box = this.canvas.getBoundingClientRect();
    const step = event.deltaMode === 1 ? 16 : 1;
    this.zoom(Math.exp(-event.deltaY * step * 0.0016), event.clientX - box.left, event.clientY - box.top);
  }

  /** @param {PointerEvent} event */
  down(event) {
    this.start = [event.clientX, event.clientY];
    this.pointers.set(event.pointerId, this.start);
    this.moved = false;
    try { this.canvas.setPointerCapture(event.pointerId); } catch { /* a pointer that is gone */ }
  }

  /** @param {PointerEvent} event */
  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const [x, y] = [event.clientX, event.clientY];
    if (Math.hypot(x - this.start[0], y - this.start[1]) > 4) this.moved = true;
    if (this.pointers.size === 2) this.pinch(event.pointerId, before, x, y);
    else if (!this.locked || event.buttons === 4) {
      this.x -= (x - before[0]) / this.scale;
      this.y -= (y - before[1]) / this.scale;
    }
    this.pointers.set(event.pointerId, [x, y]);
    this.changed();
  }

  /** @param {number} moving @param {Point} from @param {number} x @param {number} y */
  pinch(moving, [bx, by], x, y) {
    const [[, other]] = [...this.pointers].filter(([id]) => id !== moving);
    const box = this.canvas.getBoundingClientRect();
    const before = Math.hypot(bx - other[0], by - other[1]);
    const after = Math.hypot(x - other[0], y - other[1]);
    if (before > 0) this.zoom(after / before, (x + other[0]) / 2 - box.left, (y + other[1]) / 2 - box.top);
  }
}
