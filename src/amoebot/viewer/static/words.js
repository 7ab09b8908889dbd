// @ts-check
// A unit's memory in words, lane by lane, and what an activation does to it: as its election says.

import { compile, context } from "./expressions.js";

/** @typedef {import("./moment.js").Moment} Moment */

export class Words {
  /** @param {import("./types").Stage} stage */
  constructor(stage) {
    const ready = (/** @type {any} */ value) => compile(value, stage.formats.unit);
    this.stage = stage;
    this.context = context(stage);
    this.lanes = stage.lanes.map((lane) => ({
      ...lane, when: ready(lane.when), rows: lane.rows.map((row) => ({ ...row, value: ready(row.value) })),
    }));
    this.deeds = stage.deeds.map(({ when, sentence }) => ({ when: ready(when), sentence: ready(sentence) }));
  }

  // The lanes that a unit's memory has now, with the text of each row.
  /** @param {Moment} moment @param {number} unit */
  memory(moment, unit) {
    const { context: c } = this;
    c.unit = unit;
    c.me = moment.record(unit);
    return this.lanes.filter(({ when }) => when(c)).map(({ title, section, is_open, rows }) => ({
      title, section, is_open, rows: rows.map(({ name, hint, value }) => ({ name, hint, text: String(value(c)) })),
    }));
  }

  // What an activation would do to a unit, in sentences.
  /** @param {number} unit @param {Moment} before @param {Moment} after @param {string} who */
  doings(unit, before, after, who) {
    const { context: c, stage } = this;
    c.unit = unit;
    [c.was, c.me] = [before.record(unit), after.record(unit)];
    if (!stage.on_nodes) {
      [c.pred_was, c.pred] = [before.record(stage.pred[unit]), after.record(stage.pred[unit])];
      [c.succ_was, c.succ] = [before.record(stage.succ[unit]), after.record(stage.succ[unit])];
    }
    return this.deeds.filter(({ when }) => when(c)).map(({ sentence }) => {
      const told = String(sentence(c));
      return /^[A-Z]/.test(told) ? `${told}.` : `${who} ${told}.`;
    });
  }
}
