import { readFileSync, writeFileSync } from "node:fs";
import { load } from "./amoebot.mjs";
import { generated, rerun } from "./compare.js";

const { cases, shapes } = JSON.parse(readFileSync("cases.json", "utf8"));
const amoebot = await load();
writeFileSync("found.json", JSON.stringify({
  cases: cases.map((one) => rerun(amoebot, one)),
  shapes: shapes.map((one) => generated(amoebot, one)),
}));
