// An address leads to the run that it was made of.

import assert from "node:assert/strict";
import { test } from "node:test";

import { fromAddress, toAddress } from "../static/address.js";

const DEFAULTS = { algorithm: "improved", scheduler: "permutation", sure: true, base: 16 };
const RUN = { shape: "hexagon:3", seed: "7", options: { ...DEFAULTS } };

test("what is as usual is left out", () => {
  assert.equal(toAddress(RUN, { round: 0, position: 0 }, DEFAULTS), "#shape=hexagon:3&seed=7");
  assert.equal(toAddress({ ...RUN, options: { ...DEFAULTS, sure: false, base: 2 } }, { round: 4, position: 1 }, DEFAULTS),
    "#shape=hexagon:3&seed=7&sure=false&base=2&round=4&position=1");
});

test("options come back with their types, seeds as text", () => {
  const run = { ...RUN, shape_seed: 5, seed: "18446744073709551615", options: { algorithm: "erosion", sure: false, base: 2 } };
  const found = fromAddress(toAddress(run, { round: 9, position: 0 }, DEFAULTS));
  assert.deepEqual(found.run, { shape: "hexagon:3", shape_seed: "5", seed: "18446744073709551615", options: run.options });
  assert.deepEqual(found.moment, { round: 9, position: 0 });
});

test("a drawing and a schedule by hand travel whole", () => {
  for (const run of [
    { shape: { name: "dräwing", nodes: [[0, 0], [1, -1]] }, seed: "1", options: DEFAULTS },
    { ...RUN, schedule: [3, 1, 2] },
  ]) {
    const address = toAddress(run, null, DEFAULTS);
    assert.match(address, /^#run=[\w-]+$/);
    assert.deepEqual(fromAddress(address), { run, moment: { round: 0, position: 0 } });
  }
});

test("no address is no run, and nonsense is not read", () => {
  assert.equal(fromAddress(""), null);
  assert.equal(fromAddress("#round=7"), null);
  assert.equal(fromAddress("#shape=line:3&round=-4&position=x").moment.round, 0);
  assert.throws(() => fromAddress("#run=!!!"));
});

test("changed rules are named, so that others refuse a run that they cannot make", () => {
  const run = { ...RUN, shape_seed: "0", options: {}, rules: { name: "early", digest: "1a2b" } };
  const address = toAddress(run, null, DEFAULTS);
  assert.equal(address, "#shape=hexagon:3&seed=7&rules=early:1a2b");
  assert.deepEqual(fromAddress(address).run, run);
});
