// A film answers as the server does.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { FilmSource, unpackFilm } from "../static/film.js";
import { Moment } from "../static/moment.js";
import { decodeStage } from "../static/stage.js";

async function open() {
  const source = new FilmSource(await unpackFilm(await readFile(new URL("film.txt", import.meta.url), "utf8")));
  const moment = new Moment(decodeStage(source.stageBuffer));
  const ask = async (request) => moment.read(await source.ask(request));
  await ask({ do: "look" });
  return { source, moment, ask };
}

test("it begins at the beginning and ends at the end", async () => {
  const { source, moment, ask } = await open();
  assert.deepEqual([moment.round, moment.position, moment.finished], [0, 0, false]);
  const { rounds } = await source.ask({ do: "survey" });
  await ask({ do: "goto", round: 10 ** 9 });
  assert.deepEqual([moment.round + Math.sign(moment.position), moment.finished], [rounds, true]);
});

test("steps lead forward and back to the same memories", async () => {
  const { moment, ask } = await open();
  await ask({ do: "goto", round: 5 });
  const here = moment.units.slice();
  for (const [forward, back] of [[{ activations: 1 }, "activation"], [{ rounds: 1 }, "round"], [{ activations: 90 }, "round"]]) {
    await ask({ do: "step", ...forward });
    assert.notDeepEqual(moment.units, here);
    await ask({ do: "back", unit: back });
    await ask({ do: "goto", round: 5 });
    assert.deepEqual(moment.units, here);
  }
  await ask({ do: "goto", round: 0 });
  await ask({ do: "back", unit: "activation" });
  assert.deepEqual([moment.round, moment.position], [0, 0]);
});

test("any moment is the same whichever way it was reached", async () => {
  const one = await open(), other = await open();
  for (let round = 1; round <= 9; round++) await one.ask({ do: "step", rounds: 1 });
  await other.ask({ do: "goto", round: 30 });
  await other.ask({ do: "goto", round: 9 });
  assert.deepEqual(other.moment.units, one.moment.units);
  await other.ask({ do: "look" });
  assert.deepEqual(other.moment.units, one.moment.units);
});

test("it runs to the next phase, to the leader and to the end", async () => {
  const { moment, ask } = await open();
  for (let phase = 1; phase <= 3; phase++) {
    await ask({ do: "run", until: "phase", phase: moment.phase });
    assert.deepEqual([moment.phase, moment.reached], [phase, true]);
  }
  await ask({ do: "run", until: "leader" });
  assert.deepEqual([moment.outcome, moment.reached, moment.finished], ["leader", true, false]);
  while (!moment.finished) await ask({ do: "run", until: "end" });
});

test("it refuses what only a live run can do", async () => {
  const { source } = await open();
  await assert.rejects(source.ask({ do: "activate", particle: 1 }), /only be watched/);
});
