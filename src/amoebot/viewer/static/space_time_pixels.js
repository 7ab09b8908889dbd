// @ts-check
// The pixels of a space-time diagram: one for each row and column, coloured as render/space_time_figure.py does.

import { pen } from "./dom.js";
import { compile, context } from "./expressions.js";

/** @typedef {import("./types").Trace} Trace */
/** @typedef {import("./types").Colours} Colours */

// How strongly a column is coloured that has a single mark among many agents.
const MARK = 0.7;

// Of all columns and rows, the part that a mark takes up at least: thinner ones are not seen.
const THINNEST = 1 / 260;

/** @param {Uint8Array[]} rows @param {number} columns @param {Trace[]} traces @param {Colours} colours */
export function pixels(rows, columns, traces, colours) {
  const reach = [rows.length, columns].map((length) => Math.round((length * THINNEST) / 2));
  return painted(rows, columns, traces, colours, reach);
}

/** One row as it is. @param {Uint8Array} row @param {Trace[]} traces @param {Colours} colours */
export function band(row, traces, colours) { return painted([row], row.length / traces.length, traces, colours, [0, 0]); }

// The present moment as a row, from the memories that the page knows.
export class Present {
  /** @param {import("./types").Stage} stage */
  constructor(stage) {
    this.stage = stage;
    this.context = context(stage);
    this.traces = stage.traces.map(({ when }) => compile(when, stage.formats.unit));
  }

  /** @param {import("./moment.js").Moment} moment @param {number} columns */
  row(moment, columns) {
    const { stage, context: c, traces } = this, { agents, on_nodes, node_of_agent } = stage;
    const counts = new Uint16Array(traces.length * columns), sizes = new Uint16Array(columns);
    c.me.bytes = moment.units;
    for (let agent = 0; agent < agents; agent++) {
      const column = Math.floor((agent * columns) / agents);
      c.unit = on_nodes ? node_of_agent[agent] : agent;
      c.me.at = c.unit * stage.formats.unit.size;
      sizes[column]++;
      for (let i = 0; i < traces.length; i++) if (traces[i](c)) counts[i * columns + column]++;
    }
    return Uint8Array.from(counts, (count, i) => Math.ceil((255 * count) / Math.max(1, sizes[i % columns])));
  }
}

/** @param {Uint8Array[]} rows @param {number} columns @param {Trace[]} traces @param {Colours} colours @param {number[]} reach */
function painted(rows, columns, traces, colours, [down, across]) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, columns);
  canvas.height = rows.length;
  const ctx = pen(canvas), image = ctx.createImageData(canvas.width, canvas.height), { data } = image;
  const paper = rgb(colours.paper);
  for (let i = 0; i < data.length; i += 4) data.set([...paper, 255], i);
  traces.forEach(({ colour, tint }, number) => {
    const [red, green, blue] = rgb(colours[colour]);
    rows.forEach((row, y) => {
      for (let x = 0; x < columns; x++) {
        const share = row[number * columns + x] / 255;
        if (!share) continue;
        const alpha = tint === null ? MARK + (1 - MARK) * Math.sqrt(share) : tint * share;
        const [low, high] = tint === null ? [down, across] : [0, 0];
        for (let v = Math.max(0, y - low); v <= Math.min(rows.length - 1, y + low); v++) {
          for (let u = Math.max(0, x - high); u <= Math.min(columns - 1, x + high); u++) {
            const at = 4 * (v * columns + u);
            data[at] += alpha * (red - data[at]);
            data[at + 1] += alpha * (green - data[at + 1]);
            data[at + 2] += alpha * (blue - data[at + 2]);
          }
        }
      }
    });
  });
  ctx.putImageData(image, 0, 0);
  return canvas;
}

/** @param {string} colour @returns {[number, number, number]} */
export function rgb(colour) {
  const value = parseInt(colour.slice(1, 7), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
