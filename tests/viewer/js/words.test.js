// Memories and activations are told here as Python tells them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Moment } from "../static/moment.js";
import { decodeStage } from "../static/stage.js";
import { Words } from "../static/words.js";
import { bytes, made } from "./made.js";

for (const name of ["improved", "erosion", "segments-2015"]) {
  test(`${name}: lanes and deeds`, async () => {
    const { stage: packed, moments } = await made(`words-${name}.json`);
    const stage = decodeStage(bytes(packed)), words = new Words(stage);
    let deeds = 0;
    for (const { frame, what_if: whatIf, told, done } of moments) {
      const moment = new Moment(stage).read(bytes(frame)), after = moment.with(bytes(whatIf));
      for (const [unit, lanes] of told) {
        const found = words.memory(moment, unit).map(({ title, rows }) => [title, rows.map((row) => [row.name, row.text])]);
        assert.deepEqual(found, lanes);
      }
      for (const [unit, sentences] of done) {
        assert.deepEqual(words.doings(unit, moment, after, "It"), sentences);
        deeds += sentences.length;
      }
    }
    assert.ok(deeds > 5);
  });
}
