// @ts-check
// Candidates left, the election's own counts and phase bands against rounds, in step with the slider.

import { Backdrop } from "./backdrop.js";
import { h, pen } from "./dom.js";

/** @typedef {import("./types").Survey} Survey */
/** @typedef {import("./types").Colours} Colours */
/** @typedef {import("./types").Stage} Stage */

// Half of the slider's thumb: the chart begins and ends where the thumb's middle does.
export const INSET = 8;
const TOP = 5, BOTTOM = 20;
const CANDIDATES = { name: "candidates left", colour: "candidate", dash: [] };

export class Charts {
  /** @param {(round: number) => void} seek */
  constructor(seek) {
    this.canvas = h("canvas", { class: "chart", "aria-label": "Candidates and more against rounds" });
    this.legend = h("div", { class: "chart-legend" });
    this.element = h("div", { class: "charts" }, this.canvas);
    this.backdrop = new Backdrop();
    this.total = 1;
    this.named = "";
    let held = false;
    const go = (/** @type {PointerEvent} */ event) => {
      const box = this.canvas.getBoundingClientRect();
      const part = (event.clientX - box.left - INSET) / (box.width - 2 * INSET);
      seek(Math.round(Math.max(0, Math.min(1, part)) * this.total));
    };
    this.canvas.addEventListener("pointerdown", (event) => { held = true; go(event); });
    this.canvas.addEventListener("pointermove", (event) => { if (held) go(event); });
    for (const end of ["pointerup", "pointerleave"]) this.canvas.addEventListener(end, () => { held = false; });
  }

  /** @param {Survey | null} survey @param {number} total @param {number} round @param {Colours} colours @param {Stage} stage */
  draw(survey, total, round, colours, stage) {
    this.total = Math.max(1, total);
    const ratio = globalThis.devicePixelRatio || 1;
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (!width || !height) return;
    if (this.canvas.width !== Math.round(width * ratio)) this.canvas.width = Math.round(width * ratio);
    if (this.canvas.height !== Math.round(height * ratio)) this.canvas.height = Math.round(height * ratio);
    const ctx = pen(this.canvas);
    const x = (/** @type {number} */ rounds) => INSET + ((width - 2 * INSET) * rounds) / this.total;
    const series = [CANDIDATES, ...stage.series];
    this.backdrop.paint(ctx, [survey, this.total, colours, stage], (under) => {
      under.scale(ratio, ratio);
      if (!survey) return;
      this.bands(under, survey, x, height, colours, stage);
      this.lines(under, survey, x, height, colours, series);
    });
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.strokeStyle = colours.ink;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.moveTo(x(round), 0);
    ctx.lineTo(x(round), height - BOTTOM + 4);
    ctx.stroke();
    this.name(colours, series);
  }

  /**
   * @param {CanvasRenderingContext2D} ctx @param {Survey} survey @param {(rounds: number) => number} x
   * @param {number} height @param {Colours} colours @param {Stage} stage
   */
  bands(ctx, survey, x, height, colours, stage) {
    ctx.font = "11px system-ui, sans-serif";
    ctx.textAlign = "center";
    survey.bands.forEach(([phase, begin, end], i) => {
      ctx.fillStyle = colours[i % 2 ? "band_a" : "band_b"];
      ctx.globalAlpha = 0.55;
      ctx.fillRect(x(begin), 0, x(end) - x(begin), height - BOTTOM + 4);
      ctx.globalAlpha = 1;
      ctx.fillStyle = colours.muted;
      const [name] = stage.phases[phase], room = x(end) - x(begin) - 6;
      const last = name.slice(name.lastIndexOf(" ") + 1);
      const text = ctx.measureText(name).width < room ? name : last[0].toUpperCase() + last.slice(1);
      if (ctx.measureText(text).width < room) ctx.fillText(text, (x(begin) + x(end)) / 2, height - 4);
    });
  }

  // Heights are logarithmic: there are many tokens and, at the end, one candidate.
  /**
   * @param {CanvasRenderingContext2D} ctx @param {Survey} survey @param {(rounds: number) => number} x
   * @param {number} height @param {Colours} colours @param {import("./types").Series[]} series
   */
  lines(ctx, survey, x, height, colours, series) {
    const { points } = survey;
    const most = Math.max(2, ...points.flatMap((point) => point.slice(1)));
    const floor = height - BOTTOM;
    const y = (/** @type {number} */ value) => floor - ((floor - TOP) * Math.log1p(value)) / Math.log1p(most);
    series.forEach(({ colour, dash }, i) => {
      ctx.strokeStyle = colours[colour];
      ctx.lineWidth = i === 0 ? 2.2 : 1.5;
      ctx.setLineDash(dash);
      ctx.beginPath();
      for (const point of points) ctx.lineTo(x(point[0]), y(point[i + 1]));
      if (survey.done && points.length) ctx.lineTo(x(survey.rounds), y(points[points.length - 1][i + 1]));
      ctx.stroke();
    });
    ctx.setLineDash([]);
  }

  /** @param {Colours} colours @param {import("./types").Series[]} series */
  name(colours, series) {
    const key = [colours.paper, ...series.map(({ name }) => name)].join();
    if (this.named === key) return;
    this.named = key;
    this.legend.replaceChildren(...series.map(({ name, colour, dash }) => {
      const line = h("i");
      line.style.borderTopColor = colours[colour];
      line.style.borderTopStyle = dash.length === 0 ? "solid" : dash[0] > 2 ? "dashed" : "dotted";
      return h("span", {}, line, name);
    }));
  }
}
