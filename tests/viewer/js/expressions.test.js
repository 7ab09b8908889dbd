// Expressions mean here what they mean in Python.

import assert from "node:assert/strict";
import { test } from "node:test";

import { compile } from "../static/expressions.js";
import { Format } from "../static/record.js";
import { made } from "./made.js";

const FORMAT = new Format([["a", "u1", 0], ["b.c", "i1", 1]]);
const cell = (fields) => ({ bytes: FORMAT.record(fields), at: 0 });

function value(expression, me = {}, others = {}) {
  return compile(expression, FORMAT)({ unit: 1, view: { empty: [4, 5] }, option: { sure: true }, me: cell(me), ...others });
}

test("constants are themselves", () => {
  for (const constant of [7, "text", true, null]) assert.equal(value(constant), constant);
});

test("fields are read wherever they are", () => {
  assert.equal(value(["me", "b.c"], { "b.c": -3 }), -3);
  assert.equal(value(["pred_was", "a"], {}, { pred_was: cell({ a: 9 }) }), 9);
  assert.equal(value(["view", "empty"]), 5);
  assert.equal(value(["when", ["option", "sure"], "yes", "no"]), "yes");
});

test("text has its values in their places", () => {
  assert.equal(value(["text", "{}, {} settled", ["me", "a"], "none"], { a: 2 }), "2, none settled");
  assert.equal(value(["text", "nothing"]), "nothing");
});

test("choices beyond the end are the last one", () => {
  const choice = (a) => value(["choose", ["me", "a"], "x", "y"], { a });
  assert.deepEqual([0, 1, 2, 200].map(choice), ["x", "y", "y", "y"]);
});

test("Python comes to the same", async () => {
  const { fields, cases } = await made("expressions.json");
  const format = new Format(fields);
  for (const { expression, record, result } of cases) {
    const me = { bytes: Uint8Array.from(record), at: 0 };
    const found = compile(expression, format)({ me, was: me, unit: 0, view: {}, option: {} });
    assert.equal(typeof found === "boolean" ? Number(found) : found, result, JSON.stringify(expression));
  }
});
