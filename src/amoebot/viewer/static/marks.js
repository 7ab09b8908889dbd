// @ts-check
// The marks that an election declares, drawn for the units that they are about.

import { Afar } from "./afar.js";
import { pen } from "./dom.js";
import { compile, context, isConstant } from "./expressions.js";
import { ROW } from "./stage.js";

/** @typedef {import("./types").Stage} Stage */
/** @typedef {import("./types").Colours} Colours */
/** @typedef {import("./types").Context} Context */
/** @typedef {import("./types").Compiled} Compiled */
/** @typedef {import("./draw.js").Scene} Scene */
/** @typedef {{ canvas: HTMLCanvasElement, reach: number }} Stamp */
/**
 * @typedef {object} Ready a mark whose values are functions of a context
 * @property {string} form
 * @property {number} width
 * @property {boolean} along
 * @property {boolean} afar
 * @property {number} least the size below which it is too small to be seen, in pixels
 * @property {number | null} fixed its size, if that is the same for all units
 * @property {Compiled} when
 * @property {Compiled} size
 * @property {Compiled} fill
 * @property {Compiled} stroke
 * @property {Compiled} out
 * @property {Compiled} side
 * @property {Compiled} turn
 * @property {Compiled} text
 */

// In pixels: the least height of letters, the least radius of forms, and that of those seen from afar.
const LETTERS = 5.6, FORM = 1.6, DOT = 2;
// Distance of neighbours, in pixels, below which nodes are tiles and boundaries ribbons.
const TILES = 9, RIBBONS = 11;
// The least width of bands, in pixels.
const BAND = 6;
// Where more units are visible, discs are drawn once and then copied, which is many times faster.
const MANY = 500;
// How much smaller labels of one, two and more characters are written.
const NARROWER = [1, 0.85, 0.65];


// All marks and bands of a stage, by layer.
export class Marks {
  /** @param {Stage} stage */
  constructor(stage) {
    const ready = (/** @type {any} */ value) => compile(value, stage.formats.unit);
    this.stage = stage;
    this.context = context(stage);
    this.afar = new Afar(stage);
    this.layers = new Map(stage.layers.map(({ id, marks, bands }) => [id, {
      bands: bands.map((band) => ({ ...band, starts: ready(band.starts) })),
      marks: marks.map((mark) => /** @type {Ready} */ ({
        form: mark.form, width: mark.width, along: mark.along, afar: mark.afar,
        least: mark.form === "label" ? LETTERS : FORM, fixed: isConstant(mark.size) ? mark.size : null,
        when: ready(mark.when), size: ready(mark.size), fill: ready(mark.fill), stroke: ready(mark.stroke),
        out: ready(mark.out), side: ready(mark.side), turn: ready(mark.turn), text: ready(mark.text),
      })),
    }]));
  }

  /** @param {string} id */
  layer(id) { return /** @type {{ bands: any[], marks: Ready[] }} */ (this.layers.get(id)); }

  /** Whether a layer has more than bands. @param {string} id */
  hasMarks(id) { return this.layer(id).marks.length > 0 || this.stage.traces.some(({ layer }) => layer === id); }

  /** @param {Scene} scene @param {string} id */
  draw(scene, id) {
    const { moment, motion, units, camera, stage } = scene, { context: c } = this;
    const { bands, marks } = this.layer(id);
    for (const band of bands) this.bands(scene, band);
    if (stage.on_nodes && camera.scale < TILES) {
      for (const mark of marks) if (mark.afar) this.tiles(scene, mark);
      return;
    }
    if (this.isFar(camera)) { this.afar.draw(scene, id, false); return; }
    const shown = marks.filter(({ fixed, least, afar }) => afar || fixed === null || fixed * camera.scale >= least);
    const size = stage.formats.unit.size, stamps = units.length > MANY ? new Map() : null;
    c.me.bytes = moment.units;
    for (const unit of shown.length ? units : []) {
      c.unit = unit;
      c.me.at = unit * size;
      const onItsWay = motion?.hidden.get(unit);
      for (const mark of shown) if (mark.when(c) && !onItsWay?.has(mark)) this.mark(scene, mark, stamps);
    }
  }

  /** Whether agents are so small that only what they come to together can be seen. @param {import("./camera.js").Camera} camera */
  isFar(camera) { return !this.stage.on_nodes && camera.scale < RIBBONS; }

  // What is drawn above all layers, where agents are small: candidates and single tokens.
  /** @param {Scene} scene */
  drawDots(scene) {
    if (!this.isFar(scene.camera)) return;
    for (const { id } of scene.stage.layers) if (scene.layers.has(id)) this.afar.draw(scene, id, true);
  }

  /** @param {Scene} scene @param {Ready} mark @param {Map<string, Stamp> | null} stamps */
  mark(scene, mark, stamps) {
    const { stage } = scene, { context: c } = this, unit = c.unit, node = stage.node_of_unit[unit];
    const out = mark.out(c), side = mark.side(c), ox = stage.ox[unit], oy = stage.oy[unit];
    this.markAt(scene, mark, stage.px[node] + out * ox - side * oy, stage.py[node] + out * oy + side * ox, stamps);
  }

  // A mark of the unit that the context is about, wherever it is drawn.
  /** @param {Scene} scene @param {Ready} mark @param {number} x @param {number} y @param {Map<string, Stamp> | null} stamps */
  markAt({ ctx, stage, camera, colours, pixel }, mark, x, y, stamps = null) {
    const { context: c } = this, size = mark.size(c), ox = stage.ox[c.unit], oy = stage.oy[c.unit];
    const fill = mark.fill(c), stroke = mark.stroke(c);
    if (size * camera.scale < mark.least) {
      if (!mark.afar) return;
      ctx.fillStyle = colours[fill];
      ctx.fillRect(x - DOT * pixel, y - DOT * pixel, 2 * DOT * pixel, 2 * DOT * pixel);
    } else if (stamps && mark.form === "disc") {
      const key = `${fill},${stroke},${mark.width},${size}`;
      let found = stamps.get(key);
      if (!found) stamps.set(key, (found = stamp(camera.scale * camera.ratio, size, colours[fill], colours[stroke], mark.width)));
      ctx.drawImage(found.canvas, x - found.reach, y - found.reach, 2 * found.reach, 2 * found.reach);
    } else {
      const turn = (mark.turn(c) * Math.PI) / 180 + (mark.along ? Math.atan2(ox, -oy) : 0);
      form(ctx, stage, mark, x, y, size, turn, colours[fill], colours[stroke], mark.text(c));
    }
  }

  // Neighbours of a row with the same colour, as one bar. The termination message stays to be seen.
  /** @param {Scene} scene @param {Ready} mark */
  tiles({ ctx, stage, moment, colours, nodes, pixel, layers }, mark) {
    const { context: c } = this, size = stage.formats.unit.size, height = ROW + pixel * 0.6;
    const ends = layers.has("termination");
    const colour = (/** @type {number} */ unit) => {
      if (ends && moment.stateOf(stage.particle_of_node[unit])) return "";
      c.unit = unit;
      c.me.at = unit * size;
      return mark.when(c) ? colours[mark.fill(c)] : "";
    };
    c.me.bytes = moment.units;
    for (const [first, last] of nodes.ranges) {
      for (let i = first; i < last; ) {
        const begin = i, fill = colour(i);
        do i++;
        while (i < last && stage.nodes[2 * i] === stage.nodes[2 * i - 2] + 1 && colour(i) === fill);
        if (!fill) continue;
        ctx.fillStyle = fill;
        ctx.fillRect(stage.px[begin] - 0.5, stage.py[begin] - height / 2, i - begin + pixel * 0.3, height);
      }
    }
  }

  // The agents at which bands of a layer start.
  /** @param {import("./moment.js").Moment} moment @param {string} id */
  starts(moment, id) { return this.layer(id).bands.flatMap((band) => this.stage.boundaries.flatMap((cycle) => this.startsOn(cycle, moment, band))); }

  /** @param {[first: number, length: number]} boundary @param {import("./moment.js").Moment} moment @param {{ starts: Compiled }} band */
  startsOn([first, length], moment, band) {
    const { context: c } = this, { size } = this.stage.formats.unit, found = [];
    c.me.bytes = moment.units;
    for (let a = first; a < first + length; a++) {
      c.unit = a;
      c.me.at = a * size;
      if (band.starts(c)) found.push(a);
    }
    return found;
  }

  // A band over the agents from each start up to the next one, in alternating colours.
  /** @param {Scene} scene @param {{ starts: Compiled, width: number, colours: string[] }} band */
  bands({ ctx, stage, moment, colours, camera, pixel }, band) {
    const [left, top] = camera.plane(0, 0), [right, bottom] = camera.plane(camera.width, camera.height);
    const isVisible = (/** @type {number} */ a) =>
      stage.ax[a] > left - 1 && stage.ax[a] < right + 1 && stage.ay[a] > top - 1 && stage.ay[a] < bottom + 1;
    const paths = [new Path2D(), new Path2D()];
    for (const [first, length] of stage.boundaries) {
      const starts = this.startsOn([first, length], moment, band);
      starts.forEach((begin, which) => {
        const end = starts[which + 1] ?? starts[0] + length;
        const odd = which % 2 === 1 || (which > 0 && which === starts.length - 1);
        const path = paths[odd ? 1 : 0];
        let joined = false; // what is outside the window is left out
        for (let i = begin; i < end; i++) {
          const a = i < first + length ? i : i - length;
          if (!isVisible(a)) { joined = false; continue; }
          if (!joined) path.moveTo(stage.ax[a], stage.ay[a]);
          // Not of no length, which is not drawn; and where it goes straight on, its ends are enough.
          if (stage.corner[a] || !joined || i === end - 1 || !isVisible(stage.succ[a])) path.lineTo(stage.ax[a] + 1e-3, stage.ay[a]);
          joined = true;
        }
      });
    }
    ctx.lineWidth = Math.max(band.width, BAND * pixel);
    if (camera.scale < RIBBONS) [ctx.lineCap, ctx.lineJoin] = ["butt", "bevel"]; // round ones take time
    paths.forEach((path, i) => {
      ctx.strokeStyle = colours[band.colours[i]];
      ctx.stroke(path);
    });
    ctx.lineCap = ctx.lineJoin = "round";
  }

  // Draw a layer's marks for a memory made up for the legend, to the right of some place.
  /**
   * @param {CanvasRenderingContext2D} ctx @param {string} id @param {Record<string, number>} sample
   * @param {Colours} colours @param {number} x @param {number} y @param {number} scale
   */
  sample(ctx, id, sample, colours, x, y, scale) {
    const drawn = this.sampled(id, sample), { context: c } = this;
    if (!drawn.length) return;
    const [out, side] = [drawn[0].out(c), drawn[0].side(c)];
    for (const mark of drawn) {
      const turn = (mark.turn(c) * Math.PI) / 180, radius = mark.size(c) * scale;
      const place = [x + (mark.side(c) - side) * scale, y - (mark.out(c) - out) * scale];
      form(ctx, this.stage, { ...mark, width: mark.width * scale }, place[0], place[1], radius, turn,
        colours[mark.fill(c)], colours[mark.stroke(c)], mark.text(c));
    }
  }

  // The marks that a memory made up for the legend would have; the context is left at that memory.
  /** @param {string} id @param {Record<string, number>} sample */
  sampled(id, sample) {
    const { context: c, stage } = this;
    c.unit = 0;
    c.me.bytes = stage.formats.unit.record(sample);
    c.me.at = 0;
    return this.layer(id).marks.filter((mark) => mark.when(c));
  }

  /** How far a memory's marks reach along the cycle. @param {string} id @param {Record<string, number>} sample */
  width(id, sample) {
    const ends = this.sampled(id, sample).map((mark) => [mark.side(this.context), mark.size(this.context)]);
    return Math.max(...ends.map(([side, size]) => side + size)) - Math.min(...ends.map(([side, size]) => side - size));
  }

  /** The size of the largest mark of a layer's legend. @param {import("./types").Layer} layer */
  largest({ id, legend }) {
    const sizes = legend.flatMap(({ samples }) => samples.flatMap((sample) =>
      this.sampled(id, sample).map((mark) => mark.size(this.context) * (mark.form === "label" ? 0.6 : 1))));
    return Math.max(0.01, ...sizes);
  }
}

/**
 * @param {CanvasRenderingContext2D} ctx @param {Stage} stage @param {{ form: string, width: number }} mark
 * @param {number} x @param {number} y @param {number} radius @param {number} turn
 * @param {string | undefined} fill @param {string | undefined} stroke @param {any} text
 */
function form(ctx, stage, mark, x, y, radius, turn, fill, stroke, text) {
  if (mark.form === "label") { label(ctx, x, y, String(text), radius, fill); return; }
  ctx.beginPath();
  if (mark.form === "disc") ctx.arc(x, y, radius, 0, 2 * Math.PI);
  else corners(ctx, stage.forms[mark.form], x, y, radius, turn);
  if (fill) { ctx.fillStyle = fill; ctx.fill(); }
  if (stroke) { ctx.strokeStyle = stroke; ctx.lineWidth = mark.width; ctx.stroke(); }
}

/**
 * @param {CanvasRenderingContext2D} ctx @param {import("./types").Point[]} points
 * @param {number} x @param {number} y @param {number} radius @param {number} turn
 */
export function corners(ctx, points, x, y, radius, turn = 0) {
  const along = Math.cos(turn) * radius, across = Math.sin(turn) * radius;
  for (const [a, b] of points) ctx.lineTo(x + a * along - b * across, y + a * across + b * along);
  if (points.length > 2) ctx.closePath();
}

// Text is laid out at a hundred times its size: browsers round small font sizes.
/**
 * @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y @param {string} text
 * @param {number} size @param {string | undefined} fill
 */
function label(ctx, x, y, text, size, fill = "") {
  const scale = (size * NARROWER[Math.min(text.length, NARROWER.length) - 1]) / 100;
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(scale, scale);
  ctx.font = "bold 100px system-ui, sans-serif";
  ctx.textAlign = "center";
  ctx.textBaseline = "alphabetic";
  ctx.fillStyle = fill;
  ctx.fillText(text, 0, 36);
  ctx.restore();
}

/**
 * @param {number} scale @param {number} radius @param {string | undefined} fill
 * @param {string | undefined} edge @param {number} width @returns {Stamp}
 */
function stamp(scale, radius, fill, edge, width) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.max(4, Math.ceil(2 * (radius + width) * scale) + 2);
  const reach = canvas.width / 2 / scale, ctx = pen(canvas);
  ctx.scale(scale, scale);
  ctx.beginPath();
  ctx.arc(reach, reach, radius, 0, 2 * Math.PI);
  if (fill) { ctx.fillStyle = fill; ctx.fill(); }
  if (edge) { ctx.strokeStyle = edge; ctx.lineWidth = width; ctx.stroke(); }
  return { canvas, reach };
}
