// The marks of all tokens. Each kind has a form of its own, so that colour is never all there is.
// The same forms are drawn on paper by render/tokens.py.

import { axisParts, COMPLETE, TOKEN } from "./moment.js";

const BACK = 4, FORTH = 5, HOME = 6, OUTWARD = 1, HEADS = 2;
// Where the tokens of an axis and sign point: x to the right and left, y up and down.
const POINTING = { x: { positive: 0, negative: 180 }, y: { positive: 270, negative: 90 } };

export function number(ctx, x, y, value, size, fill) {
  const text = String(value);
  label(ctx, x, y, text, size * [1, 0.85, 0.65][text.length - 1], fill);
}

// Text is laid out at a hundred times its size: browsers round small font sizes.
export function label(ctx, x, y, text, size, fill) {
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(size / 100, size / 100);
  ctx.font = "bold 100px system-ui, sans-serif";
  ctx.textAlign = "center";
  ctx.textBaseline = "alphabetic";
  ctx.fillStyle = fill;
  ctx.fillText(text, 0, 36);
  ctx.restore();
}

export function polygon(ctx, x, y, radius, corners, turn = 0) {
  ctx.beginPath();
  for (let i = 0; i < corners; i++) {
    const angle = (turn * Math.PI) / 180 + (2 * Math.PI * i) / corners;
    ctx.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  }
  ctx.closePath();
}

export function star(ctx, x, y, radius) {
  ctx.beginPath();
  for (let i = 0; i < 10; i++) {
    const reach = radius * (i % 2 ? 0.45 : 1), angle = (i / 5) * Math.PI - Math.PI / 2;
    ctx.lineTo(x + reach * Math.cos(angle), y + reach * Math.sin(angle));
  }
  ctx.closePath();
}

function disc(ctx, x, y, radius) {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
}

function paint(ctx, fill, stroke, width) {
  if (fill) { ctx.fillStyle = fill; ctx.fill(); }
  if (stroke) { ctx.strokeStyle = stroke; ctx.lineWidth = width; ctx.stroke(); }
}

// A point relative to an agent's node: so far outward, so far along the cycle.
function beside(stage, a, out, side = 0) {
  const node = stage.nodeOfAgent[a], ox = stage.ox[a], oy = stage.oy[a];
  return [stage.px[node] + out * ox - side * oy, stage.py[node] + out * oy + side * ox];
}

export function drawTokens(scene) {
  const { moment, layers, agents } = scene;
  for (const a of agents) {
    if (layers.has("setup") && moment.setup(a) && moment.setup(a) < COMPLETE) setup(scene, a);
    if (layers.has("tokens")) digitTokens(scene, a);
    if (layers.has("verification")) verification(scene, a, false);
    if (layers.has("second")) second(scene, a);
    if (layers.has("identification") && moment.identification(a, false)) identification(scene, a, false);
    if (layers.has("stop")) stop(scene, a);
  }
}

function setup({ ctx, stage, moment, size, colours, camera }, a) {
  const state = moment.setup(a), out = size.token_out;
  const [x, y] = beside(stage, a, out);
  disc(ctx, x, y, size.token);
  paint(ctx, colours.setup);
  if ((state === BACK || state === FORTH) && camera.scale > 40) {
    number(ctx, x, y, moment.carried(a), 0.15, colours.paper);
  }
  const way = state === BACK || state === HOME ? -1 : 1;
  ctx.beginPath();
  for (const [dout, side] of [[0, 0.17], [0.045, 0.13], [-0.045, 0.13]]) {
    ctx.lineTo(...beside(stage, a, out + dout, way * side));
  }
  ctx.closePath();
  paint(ctx, colours.setup);
}

function digitTokens({ ctx, stage, moment, size, colours, camera }, a) {
  // Where the boundary bends inward, neighbours' tokens come close.
  const tight = stage.empty[a] === 1 ? 0.75 : 1;
  for (const [word, way] of [[moment.oldest(a), -1], [moment.newest(a), 1]]) {
    if (!word) continue;
    const [x, y] = beside(stage, a, size.token_out - (tight < 1 ? 0.1 : 0), way * size.token_side * tight);
    digitToken(ctx, x, y, word, size.token * tight, colours, camera.scale > 40 / tight);
  }
}

export function digitToken(ctx, x, y, word, radius, colours, withDigit) {
  const active = word & TOKEN.active, delimiter = word & TOKEN.delimiter;
  polygon(ctx, x, y, radius * (delimiter ? 1.3 : 1.2), 4, delimiter ? 0 : 45);
  paint(ctx, active ? colours.token : colours.paper, colours.token, radius * 0.29);
  if (!withDigit) return;
  number(ctx, x, y, word & TOKEN.digit, radius * 1.33, active ? colours.on_colour : colours.token);
}

function verification(scene, a, secondLanes) {
  const { ctx, stage, moment, size, colours } = scene;
  ["x", "y"].forEach((axis, index) => {
    const word = moment.axis(a, secondLanes, index);
    if (!word) return;
    const lane = axisParts(word), way = index ? 1 : -1;
    for (const [row, sign] of [[-0.5, "positive"], [0.5, "negative"]]) {
      for (let i = 0; i < lane[sign].held; i++) {
        const [x, y] = beside(stage, a, size.sign_out + row * size.sign_gap * 1.2,
          way * (size.sign_side + (i - 0.5) * size.sign_gap));
        signToken(ctx, x, y, size.sign, axis, sign, i < lane[sign].settled, colours);
      }
    }
    if (!lane.activation) return;
    const [x, y] = beside(stage, a, size.agent_out, way * size.activation_side);
    activationToken(ctx, x, y, size.activation, axis, lane.activation === OUTWARD, colours);
  });
}

export function signToken(ctx, x, y, radius, axis, sign, settled, colours) {
  polygon(ctx, x, y, radius * 1.15, 3, POINTING[axis][sign]);
  paint(ctx, settled ? colours[axis] : colours.paper, colours[axis], radius * 0.32);
}

export function activationToken(ctx, x, y, radius, axis, outward, colours) {
  disc(ctx, x, y, radius);
  paint(ctx, outward ? colours.paper : colours[axis], colours[axis], radius * 0.35);
  label(ctx, x, y - radius * 0.12, axis, radius * 1.5, outward ? colours[axis] : colours.on_colour);
}

function identification({ ctx, stage, moment, size, colours }, a, secondLanes) {
  const [x, y] = beside(stage, a, size.far_out);
  identificationToken(ctx, x, y, 0.13, moment.angle(a, secondLanes), colours);
}

export function identificationToken(ctx, x, y, radius, angle, colours) {
  polygon(ctx, x, y, radius, 6);
  paint(ctx, colours.identification);
  number(ctx, x, y, angle, radius * 1.25, colours.on_colour);
}

function second(scene, a) {
  const { ctx, stage, moment, size, colours } = scene;
  if (moment.isSecondCandidate(a)) {
    disc(ctx, stage.ax[a], stage.ay[a], size.agent + 0.05);
    paint(ctx, null, colours.second, 0.035);
  }
  for (const [coin, side] of [[moment.coin(a, 2), 0.3], [moment.coin(a, 4), -0.3]]) {
    if (!coin) continue;
    const [x, y] = beside(stage, a, size.agent_out + 0.14, side);
    coinMark(ctx, x, y, 0.075, coin === HEADS, colours);
  }
  verification(scene, a, true);
  if (moment.identification(a, true)) identification(scene, a, true);
}

export function coinMark(ctx, x, y, radius, heads, colours) {
  disc(ctx, x, y, radius);
  paint(ctx, heads ? colours.second : colours.paper, colours.second, radius * 0.27);
  label(ctx, x, y, heads ? "H" : "T", radius * 1.35, heads ? colours.on_colour : colours.second);
}

function stop({ ctx, stage, moment, size, colours }, a) {
  if (moment.frozen(a)) {
    disc(ctx, stage.ax[a], stage.ay[a], size.agent + 0.03);
    paint(ctx, null, colours.stop, 0.025);
  }
  if (!moment.coin(a, 6)) return;
  stopToken(ctx, ...beside(stage, a, size.far_out), 0.15, colours);
}

export function stopToken(ctx, x, y, radius, colours) {
  polygon(ctx, x, y, radius, 8, 22.5);
  paint(ctx, colours.stop);
  ctx.beginPath();
  ctx.moveTo(x - radius / 2, y);
  ctx.lineTo(x + radius / 2, y);
  paint(ctx, null, colours.on_colour, radius / 3);
}
