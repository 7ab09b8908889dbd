// Candidates left, tokens in flight and phase bands against rounds, in step with the slider.

import { h } from "./dom.js";

// Half of the slider's thumb: the chart begins and ends where the thumb's middle does.
export const INSET = 8;
const TOP = 5, BOTTOM = 20;

const SERIES = [
  { name: "candidates left", index: 1, colour: "candidate", dash: [] },
  { name: "digit tokens", index: 2, colour: "token", dash: [] },
  { name: "sign tokens", index: 3, colour: "x", dash: [5, 3] },
  { name: "other tokens", index: 4, colour: "muted", dash: [1.5, 3] },
];

export class Charts {
  constructor(seek) {
    this.canvas = h("canvas", { class: "chart", "aria-label": "Candidates and tokens against rounds" });
    this.legend = h("div", { class: "chart-legend" });
    this.element = h("div", { class: "charts" }, this.canvas);
    let held = false;
    const go = (event) => {
      const box = this.canvas.getBoundingClientRect();
      const part = (event.clientX - box.left - INSET) / (box.width - 2 * INSET);
      seek(Math.round(Math.max(0, Math.min(1, part)) * this.total));
    };
    this.canvas.addEventListener("pointerdown", (event) => { held = true; go(event); });
    this.canvas.addEventListener("pointermove", (event) => held && go(event));
    for (const end of ["pointerup", "pointerleave"]) this.canvas.addEventListener(end, () => { held = false; });
    this.total = 1;
  }

  draw(survey, total, round, colours, phases) {
    this.total = Math.max(1, total);
    const ratio = globalThis.devicePixelRatio || 1;
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (!width || !height) return;
    if (this.canvas.width !== Math.round(width * ratio)) this.canvas.width = Math.round(width * ratio);
    if (this.canvas.height !== Math.round(height * ratio)) this.canvas.height = Math.round(height * ratio);
    const ctx = this.canvas.getContext("2d");
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    const x = (rounds) => INSET + ((width - 2 * INSET) * rounds) / this.total;
    if (survey) {
      this.bands(ctx, survey, x, height, colours, phases);
      this.lines(ctx, survey, x, height, colours);
    }
    ctx.strokeStyle = colours.ink;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.moveTo(x(round), 0);
    ctx.lineTo(x(round), height - BOTTOM + 4);
    ctx.stroke();
    this.name(colours);
  }

  bands(ctx, survey, x, height, colours, phases) {
    ctx.font = "11px system-ui, sans-serif";
    ctx.textAlign = "center";
    survey.bands.forEach(([phase, begin, end], i) => {
      ctx.fillStyle = colours[i % 2 ? "segment_a" : "segment_b"];
      ctx.globalAlpha = 0.55;
      ctx.fillRect(x(begin), 0, x(end) - x(begin), height - BOTTOM + 4);
      ctx.globalAlpha = 1;
      ctx.fillStyle = colours.muted;
      const name = phases[phase].name, room = x(end) - x(begin) - 6;
      const last = name.split(" ").at(-1);
      const text = ctx.measureText(name).width < room ? name : last[0].toUpperCase() + last.slice(1);
      if (ctx.measureText(text).width < room) ctx.fillText(text, (x(begin) + x(end)) / 2, height - 4);
    });
  }

  // Heights are logarithmic: there are many tokens and, at the end, one candidate.
  lines(ctx, survey, x, height, colours) {
    const most = Math.max(2, ...survey.points.flatMap((point) => point.slice(1)));
    const floor = height - BOTTOM;
    const y = (value) => floor - ((floor - TOP) * Math.log1p(value)) / Math.log1p(most);
    for (const { index, colour, dash } of SERIES) {
      ctx.strokeStyle = colours[colour];
      ctx.lineWidth = index === 1 ? 2.2 : 1.5;
      ctx.setLineDash(dash);
      ctx.beginPath();
      for (const point of survey.points) ctx.lineTo(x(point[0]), y(point[index]));
      if (survey.done) ctx.lineTo(x(survey.rounds), y(survey.points.at(-1)[index]));
      ctx.stroke();
    }
    ctx.setLineDash([]);
  }

  name(colours) {
    if (this.named === colours.paper) return;
    this.named = colours.paper;
    this.legend.replaceChildren(...SERIES.map(({ name, colour, dash }) => {
      const line = h("i");
      line.style.borderTopColor = colours[colour];
      line.style.borderTopStyle = dash.length === 0 ? "solid" : dash[0] > 2 ? "dashed" : "dotted";
      return h("span", {}, line, name);
    }));
  }
}
