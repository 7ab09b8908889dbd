// Records and frames are read as they were written.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Format } from "../static/record.js";
import { film } from "./made.js";
import { Moment } from "../static/moment.js";
import { decodeStage } from "../static/stage.js";

const FORMAT = new Format([["small", "u1", 0], ["signed", "i1", 1], ["lane.word", "u2", 2], ["deep", "i4", 4], ["long", "u8", 8]]);

test("a record is as long as its fields", () => {
  assert.equal(FORMAT.size, 16);
  assert.equal(new Format([]).size, 0);
});

test("fields of all sizes come back as they were written", () => {
  for (const fields of [
    { small: 255, signed: -1, "lane.word": 65535, deep: -70000, long: 2 ** 40 + 3 },
    { small: 0, signed: 127, "lane.word": 256, deep: 2 ** 31 - 1, long: 7 },
  ]) {
    const bytes = new Uint8Array(32);
    bytes.set(FORMAT.record(fields), 16);
    assert.deepEqual(FORMAT.read(bytes, 16), fields);
  }
});

test("a field that does not exist is named", () => {
  assert.throws(() => FORMAT.reader("nonsense"), /no field nonsense/);
});

test("frames add up to the memories, whatever the reader knew before", async () => {
  const { stage: buffer, frames, memories } = await film();
  const stage = decodeStage(buffer), moment = new Moment(stage);
  frames.forEach((frame, i) => {
    moment.read(frame);
    if (memories[i]) assert.equal(Buffer.from(moment.units).toString("base64"), memories[i]);
  });
  assert.ok(moment.finished && moment.outcome === "leader");
  assert.ok([...Array(stage.particles).keys()].every((particle) => moment.stateOf(particle) === 2));
  moment.read(frames[0]); // a full one
  assert.equal(moment.stateOf(0), 0);
  assert.equal(moment.round, 0);
});

test("another moment can be looked at without leaving this one", async () => {
  const { stage, frames } = await film();
  const moment = new Moment(decodeStage(stage)).read(frames.slice(0, 40));
  const before = moment.units.slice(), after = moment.with(frames[40]);
  assert.deepEqual(moment.units, before);
  assert.notDeepEqual(after.units, before);
  assert.equal(after.activations, moment.activations + 1);
});

test("the stage knows where everything is", async () => {
  const stage = decodeStage((await film()).stage);
  assert.equal(stage.units, stage.agents);
  assert.equal(stage.boundary[stage.boundaries[0][1]], 1);
  for (let a = 0; a < stage.agents; a++) {
    const away = Math.hypot(stage.ax[a] - stage.px[stage.node_of_agent[a]], stage.ay[a] - stage.py[stage.node_of_agent[a]]);
    assert.ok(Math.abs(away - stage.sizes.agent_out) < 1e-6);
  }
});
