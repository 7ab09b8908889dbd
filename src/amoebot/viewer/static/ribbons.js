// @ts-check
// Ribbons as pixels. Which pixels the pieces of a ribbon cover changes only with the view: to tint those
// takes a fraction of the time that strokes take.

/** @typedef {import("./types").Point} Point */
/** @typedef {{ pixels: Int32Array, shares: Uint8Array, begins: Int32Array }} Covered the pixels of one part after the other, how much of each is covered, of 255, and where those of each part begin */

/** The parts of a piece: what joins it to the one before, and all else. @param {number} piece @param {boolean} joined */
export const parts = (piece, joined) => (joined ? [2 * piece, 2 * piece + 1] : [2 * piece + 1]);

// How far a pixel is inside each side of some corners: room for its factors of x, y and 1.
const EDGES = new Float64Array(3 * 4);

export class Ribbons {
  /**
   * @param {number} width @param {number} height of the picture in pixels, as all lengths are @param {number} thickness
   * @param {Point[][]} lines of the pieces; each begins at its second point, and comes from the first
   */
  constructor(width, height, thickness, lines) {
    this.width = width;
    this.height = height;
    this.box = { left: width, top: height, right: 0, bottom: 0 };
    this.covered = this.cover(lines, thickness / 2);
    this.sums = new Uint8ClampedArray(width * height);
    this.image = new Uint32Array(width * height);
  }

  /** @param {Point[][]} lines @param {number} half @returns {Covered} */
  cover(lines, half) {
    const pixels = /** @type {number[]} */ ([]), shares = /** @type {number[]} */ ([]), begins = [0];
    for (const line of lines) {
      for (let i = 1; i + 1 < line.length; i++) {
        this.fill(bend(line[i - 1], line[i], line[i + 1], half), pixels, shares);
        if (i === 1) begins.push(pixels.length);
        this.fill(straight(line[i], line[i + 1], half), pixels, shares);
      }
      begins.push(pixels.length);
    }
    return { pixels: Int32Array.from(pixels), shares: Uint8Array.from(shares), begins: Int32Array.from(begins) };
  }

  /** Find the pixels inside some corners, which go around clockwise. @param {Point[]} corners @param {number[]} pixels @param {number[]} shares */
  fill(corners, pixels, shares) {
    const { width, height, box } = this, sides = corners.length;
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let side = 0; side < sides; side++) {
      const [x, y] = corners[side], [dx, dy] = direction(corners[side], corners[(side + 1) % sides]);
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
      EDGES[3 * side] = -dy;
      EDGES[3 * side + 1] = dx;
      EDGES[3 * side + 2] = dy * (x - 0.5) - dx * (y - 0.5) + 0.5;
    }
    [left, top] = [Math.max(0, Math.floor(left - 0.5)), Math.max(0, Math.floor(top - 0.5))];
    [right, bottom] = [Math.min(width, Math.ceil(right + 0.5)), Math.min(height, Math.ceil(bottom + 0.5))];
    if (!(left < right && top < bottom)) return;
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        let share = 255;
        for (let at = 0; share >= 1 && at < 3 * sides; at += 3) {
          const inside = EDGES[at] * x + EDGES[at + 1] * y + EDGES[at + 2];
          if (inside < 1) share *= inside;
        }
        if (share < 1) continue;
        pixels.push(y * width + x);
        shares.push(share | 0);
      }
    }
    box.left = Math.min(box.left, left);
    box.right = Math.max(box.right, right);
    box.top = Math.min(box.top, top);
    box.bottom = Math.max(box.bottom, bottom);
  }

  // Where equally opaque parts overlap, they are not more opaque.
  /** Pixels in which parts have one colour. @param {Map<number, number[]>} opaque the parts by their opacity @param {[red: number, green: number, blue: number]} colour */
  tinted(opaque, [red, green, blue]) {
    const { sums, image, covered: { pixels, shares, begins } } = this, colour = (blue << 16) | (green << 8) | red;
    image.fill(0);
    for (const [opacity, same] of opaque) {
      const weight = Math.round((opacity * 65536) / 255);
      for (const part of same) {
        for (let i = begins[part], end = begins[part + 1]; i < end; i++) sums[pixels[i]] += shares[i];
      }
      for (const part of same) {
        for (let i = begins[part], end = begins[part + 1]; i < end; i++) {
          const at = pixels[i], sum = sums[at];
          if (!sum) continue;
          const alpha = image[at] >>> 24;
          image[at] = colour | ((alpha + (((255 - alpha) * sum * weight + 32768) >> 16)) << 24);
          sums[at] = 0;
        }
      }
    }
    return image;
  }
}

/** The corners of a straight part. @param {Point} from @param {Point} to @param {number} half @returns {Point[]} */
function straight(from, to, half) {
  const [dx, dy] = direction(from, to), wx = -dy * half, wy = dx * half;
  if (!dx && !dy) return [];
  return [[from[0] + wx, from[1] + wy], [from[0] - wx, from[1] - wy], [to[0] - wx, to[1] - wy], [to[0] + wx, to[1] + wy]];
}

/** The corners of what two straight parts leave open where they meet. @param {Point} from @param {Point} at @param {Point} to @param {number} half @returns {Point[]} */
function bend(from, at, to, half) {
  const [ax, ay] = direction(from, at), [bx, by] = direction(at, to), turn = ax * by - ay * bx;
  if (Math.abs(turn) < 1e-3) return [];
  const out = turn > 0 ? half : -half;
  /** @type {Point[]} */
  const ends = [at, [at[0] + ay * out, at[1] - ax * out], [at[0] + by * out, at[1] - bx * out]];
  return turn > 0 ? ends : ends.reverse();
}

/** @param {Point} from @param {Point} to @returns {Point} of length one, or none */
function direction([fromX, fromY], [toX, toY]) {
  const dx = toX - fromX, dy = toY - fromY, length = Math.sqrt(dx * dx + dy * dy);
  return length < 1e-6 ? [0, 0] : [dx / length, dy / length];
}
