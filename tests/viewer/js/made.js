// What Python has written for these tests.

import { readFile } from "node:fs/promises";

export async function made(name) {
  return JSON.parse(await readFile(new URL(name, import.meta.url), "utf8"));
}

export function bytes(text) {
  return Uint8Array.from(Buffer.from(text, "base64")).buffer;
}

// A film's stage and frames, and some of the memories that they add up to.
export async function film() {
  const { stage, frames, memories } = await made("frames.json");
  return { stage: bytes(stage), frames: frames.map(bytes), memories };
}
