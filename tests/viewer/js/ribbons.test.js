// Ribbons as pixels: as much of a pixel is tinted as lies within the ribbon.

import assert from "node:assert/strict";
import { test } from "node:test";

import { parts, Ribbons } from "../static/ribbons.js";

const WIDTH = 40, HEIGHT = 30;

/** How opaque each pixel is, of 255. */
function opacities(ribbons, opaque) {
  return Array.from(ribbons.tinted(opaque, [10, 20, 30]), (pixel) => pixel >>> 24);
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

test("a straight piece covers its length times its width", () => {
  for (const [from, to] of [[[5, 10], [25, 10]], [[5, 5], [20, 20]], [[7.3, 4.2], [9.1, 24.7]]]) {
    const ribbons = new Ribbons(WIDTH, HEIGHT, 4, [[from, from, to]]);
    const found = sum(opacities(ribbons, new Map([[1, parts(0, false)]]))) / 255;
    const expected = 4 * Math.hypot(to[0] - from[0], to[1] - from[1]);
    assert.ok(Math.abs(found / expected - 1) < 0.06, `${found} of ${expected}`);
  }
});

test("pieces that are equally opaque are one where they overlap, others are laid over each other", () => {
  const line = [[5, 10], [5, 10], [25, 10]], ribbons = new Ribbons(WIDTH, HEIGHT, 4, [line, line]);
  const at = 10 * WIDTH + 15;
  assert.equal(opacities(ribbons, new Map([[0.5, [1, 3]]]))[at], 128);
  assert.equal(opacities(ribbons, new Map([[0.5, [1]], [0.25, [3]]]))[at], 160);
  assert.equal(opacities(ribbons, new Map())[at], 0);
});

test("what joins two pieces is drawn only where they are one line", () => {
  const lines = [[[5, 10], [5, 10], [20, 10]], [[5, 10], [20, 10], [20, 25]]];
  const ribbons = new Ribbons(WIDTH, HEIGHT, 6, lines);
  const corner = 8 * WIDTH + 21; // outside of both
  assert.equal(opacities(ribbons, new Map([[1, [1, 3]]]))[corner], 0);
  assert.ok(opacities(ribbons, new Map([[1, [...parts(0, false), ...parts(1, true)]]]))[corner] > 100);
});

test("what is outside of the picture is left out", () => {
  const ribbons = new Ribbons(WIDTH, HEIGHT, 4, [[[-50, -50], [-50, -50], [-10, -10]], [[30, 20], [30, 20], [90, 20]]]);
  const found = opacities(ribbons, new Map([[1, [1, 3]]]));
  assert.equal(found.length, WIDTH * HEIGHT);
  assert.ok(Math.abs(sum(found) / 255 - 4 * 10) < 2);
});
