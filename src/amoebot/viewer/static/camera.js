// Where the reader looks: a point of the plane and a scale, moved by mouse, wheel, touch and keys.

const LEAST = 0.15, MOST = 160;

export class Camera {
  constructor(canvas, changed) {
    Object.assign(this, { canvas, changed, scale: 30, x: 0, y: 0, width: 1, height: 1 });
    this.pointers = new Map();
    this.moved = false;
    this.locked = false; // while the reader draws, one finger or button does not move the view
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
    }
  }

  resize() {
    const ratio = globalThis.devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    Object.assign(this, { width: clientWidth, height: clientHeight, ratio });
    this.canvas.width = Math.round(clientWidth * ratio);
    this.canvas.height = Math.round(clientHeight * ratio);
    this.changed();
  }

  fit(box, most = 72) {
    // Room for what agents hold, and for the star of a leader at the edge.
    const wide = box.right - box.left + 2.2, high = box.bottom - box.top + 2.2;
    const scale = Math.min((this.width - 24) / wide, (this.height - 24) / high);
    this.scale = Math.max(LEAST, Math.min(most, scale));
    this.x = (box.left + box.right) / 2;
    this.y = (box.top + box.bottom) / 2;
    this.changed();
  }

  // From the plane to the canvas, and back.
  screen(x, y) {
    return [(x - this.x) * this.scale + this.width / 2, (y - this.y) * this.scale + this.height / 2];
  }
  plane(sx, sy) {
    return [(sx - this.width / 2) / this.scale + this.x, (sy - this.height / 2) / this.scale + this.y];
  }
  planeOf(event) {
    const box = this.canvas.getBoundingClientRect();
    return this.plane(event.clientX - box.left, event.clientY - box.top);
  }

  zoom(factor, sx = this.width / 2, sy = this.height / 2) {
    const [x, y] = this.plane(sx, sy);
    this.scale = Math.max(LEAST, Math.min(MOST, this.scale * factor));
    const [nx, ny] = this.plane(sx, sy);
    this.x += x - nx;
    this.y += y - ny;
    this.changed();
  }

  wheel(event) {
    event.preventDefault();
    const box = this.canvas.getBoundingClientRect();
    const step = event.deltaMode === 1 ? 16 : 1;
    this.zoom(Math.exp(-event.deltaY * step * 0.0016), event.clientX - box.left, event.clientY - box.top);
  }

  down(event) {
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    this.moved = false;
    this.start = [event.clientX, event.clientY];
    try { this.canvas.setPointerCapture(event.pointerId); } catch { /* a pointer that is gone */ }
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const [x, y] = [event.clientX, event.clientY];
    if (Math.hypot(x - this.start[0], y - this.start[1]) > 4) this.moved = true;
    if (this.pointers.size === 2) this.pinch(event.pointerId, x, y);
    else if (!this.locked || event.buttons === 4) {
      this.x -= (x - before[0]) / this.scale;
      this.y -= (y - before[1]) / this.scale;
    }
    this.pointers.set(event.pointerId, [x, y]);
    this.changed();
  }

  pinch(moving, x, y) {
    const [other] = [...this.pointers].filter(([id]) => id !== moving).map(([, point]) => point);
    const [bx, by] = this.pointers.get(moving);
    const box = this.canvas.getBoundingClientRect();
    const before = Math.hypot(bx - other[0], by - other[1]);
    const after = Math.hypot(x - other[0], y - other[1]);
    const middle = [(x + other[0]) / 2 - box.left, (y + other[1]) / 2 - box.top];
    if (before > 0) this.zoom(after / before, ...middle);
  }
}
